/** Marks what only this library makes: a user cannot write a member with this name. */
export declare const opaque: unique symbol;
