/** Why a document cannot be used, in words for the person who gave it. */
export class UnusableDocument extends Error {}

export const tooDeep = (levels: number): string => `must not be nested deeper than ${levels}`
