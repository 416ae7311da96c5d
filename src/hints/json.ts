/** Careful reads of parsed JSON: own properties only, so that a body can name anything and reach nothing. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of an object, undefined for anything that is none. */
export function own(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** A member that is a text; '' for any other. */
export function ownText(value: unknown, name: string): string {
  const member = own(value, name);
  return typeof member === 'string' ? member : '';
}

/** The objects of a list that may be none. */
export function objectsOf(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The value of a JSON text, undefined for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A property of anything. A getter that throws says nothing. */
export function get(value: unknown, name: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return Reflect.get(value, name);
  } catch {
    return undefined;
  }
}
