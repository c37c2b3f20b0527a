// Customer-managed keys of the KMS stand-in, in a file that a developer edits. `state` disables a key (`Disabled`) or
// removes our rights (`Denied`). An empty entry `{}` becomes a new key when the file is read next.
import { randomBytes, randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { Disk } from './disk.ts'

export const CUSTOMER_KEYS_FILE = 'customer-keys.json'

const STATES = ['Enabled', 'Disabled', 'Denied'] as const
export type KeyState = (typeof STATES)[number]

const Entry = z.object({
  arn: z.string().default(() => `arn:aws:kms:us-east-1:111111111111:key/${randomUUID()}`),
  state: z.enum(STATES).default('Enabled'),
  secret: z.string().default(() => randomBytes(32).toString('base64')),
})
export type CustomerKey = z.output<typeof Entry>

export type CustomerKeys = {
  /** Finds by ARN, because keys of other accounts cannot be named by their id alone. */
  find: (arn: string) => CustomerKey | undefined
  /** Creates a key and returns its ARN. */
  add: () => string
  setState: (arn: string, state: KeyState) => void
}

/** At the first start the file gets one key. */
export function customerKeys(disk: Disk): CustomerKeys {
  const write = (entries: readonly CustomerKey[]) => disk.writeSecretFile(CUSTOMER_KEYS_FILE, entries)
  const read = (): CustomerKey[] => {
    const stored = disk.readSecretFile(CUSTOMER_KEYS_FILE) ?? [{}]
    const entries = z.array(Entry).parse(stored)
    if (JSON.stringify(entries) !== JSON.stringify(stored)) write(entries)
    return entries
  }
  read()
  return {
    find: (arn) => read().find((entry) => entry.arn === arn),
    add: () => {
      const entry = Entry.parse({})
      write([...read(), entry])
      return entry.arn
    },
    setState: (arn, state) => write(read().map((entry) => (entry.arn === arn ? { ...entry, state } : entry))),
  }
}
