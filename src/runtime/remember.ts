/** A cache of the results of a function. */

/** Many keys of a service with many customers, and still little memory. */
const MOST = 200_000;

/** The function, which makes the result for each text only once. After many texts it begins anew. */
export function remember<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      value = make(text);
      if (made.size >= MOST) made.clear();
      made.set(text, value);
    }
    return value;
  };
}
