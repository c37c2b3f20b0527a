import type { Readable } from '../../../base/table/table.ts'

/** An item that no longer has its shape is as good as gone: that is a finding, not a fault of ours. */
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
