import type { Readable } from '../../../base/table/table.ts'

/** Reads an item that breaks its schema as missing, because a manipulated item is a finding and not an internal error. */
export const readable = <T, K>({ key, decode }: Readable<T, K>): Readable<T | undefined, K> => ({
  key,
  decode: (attributes) => {
    try {
      return decode(attributes)
    } catch {
      return undefined
    }
  },
})
