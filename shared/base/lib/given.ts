type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that have a value: those that a change names. */
export const given = <T extends object>(members: T) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T> // only members are left out
