/** Safe access to parsed JSON: own properties only, so that a body cannot reach prototypes. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object; undefined for a value that is not an object. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A member of a member, by the names on the way to it, such as `error.code`. */
export function memberAt(value: unknown, path: string): unknown {
  return path.split('.').reduce(own, value);
}

/** A member that is a string; '' for any other. */
export function ownText(value: unknown, name: string): string {
  const member = own(value, name);
  return typeof member === 'string' ? member : '';
}

/** The objects in a list; [] for a value that is not a list. */
export function objectsOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** Nothing, an empty text, an empty list or an empty object. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The value of a JSON text; undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A copy of a text, because a slice keeps the whole text that it was cut from in memory. */
export function detached(text: string): string {
  return String(JSON.parse(JSON.stringify(text)));
}

/** Whether a value of any kind has a method, own or inherited. */
export function hasMethod(value: unknown, name: PropertyKey): boolean {
  return typeof get(value, name) === 'function';
}

/** A property of any value; undefined if a getter throws. */
export function get(value: unknown, name: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}

/** Gives an object a member that is neither listed nor copied. */
export function hide(owner: object, name: PropertyKey, value: unknown): void {
  Reflect.defineProperty(owner, name, { value, configurable: true, writable: true });
}

/** Whether a text is a URL. `URL.canParse` is newer than the runtimes that we support. */
export function canParseUrl(url: string, base?: string): boolean {
  try {
    return new URL(url, base).href !== '';
  } catch {
    return false;
  }
}
