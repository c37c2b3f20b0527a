type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that were sent; a filter tells the compiler nothing about those that are left. */
export const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
