const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

/** Whether it is a currency of ISO 4217, by its code of three capital letters. */
export const isCurrency = (code: unknown): boolean => typeof code === 'string' && CURRENCIES.has(code)
