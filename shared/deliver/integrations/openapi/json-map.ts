/** Part of a document that nobody has checked. Members are read by `member`, because `__proto__` may be one of them. */
export type JsonMap = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const member = (of: JsonMap, name: string): unknown => (Object.hasOwn(of, name) ? of[name] : undefined)

export const mapAt = (of: JsonMap, name: string): JsonMap => {
  const value = member(of, name)
  return isObject(value) ? value : {}
}

export const listAt = (of: JsonMap, name: string): readonly unknown[] => {
  const value = member(of, name)
  return Array.isArray(value) ? value : []
}

export const textAt = (of: JsonMap, name: string): string | undefined => {
  const value = member(of, name)
  return typeof value === 'string' ? value : undefined
}
