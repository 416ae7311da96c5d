/** The text of the index, from the files beside it. */
export declare function providersIndex(): string;
