// Items that nobody can make, change or move who can only write to the table: each carries an HMAC of its key and attributes,
// under a key that is not in the table.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type * as z from 'zod'
import { lastingKeys } from '../aws/deployment-secret.ts'
import { canonicalJson, hmacSha256, sameBytes } from '../lib/json.ts'
import { alarm } from '../lib/log.ts'
import { memory } from '../lib/memory.ts'
import { type Definition, entity, MAC, type Update, type Write } from './entity.ts'

type Attributes = Record<string, AttributeValue>

type MemberOf<T> = T extends unknown ? string & keyof T : never

/** `ready` loads the key beside the read; `holds`: whether the service wrote the item at this key. */
export type ItemBinding = { ready: () => Promise<unknown>; holds: (item: Attributes) => Promise<boolean> }

const KEY_OF_INDEX = /^gsi\d[ps]k$/

/**
 * A kind whose items count only as the service wrote them: another one is read as if there were none. Every new kind is made with it
 * or says why not. `free`: members that `update` changes, since it knows one attribute and not the rest; nothing that gives
 * access may be among them.
 */
export function bound<S extends z.ZodType<Record<string, unknown>>, K>({
  free = [],
  ...definition
}: Definition<S, K> & { free?: readonly MemberOf<z.output<S>>[] }) {
  const plain = entity({ ...definition, unbound: 'proven by itself' }) // by its HMAC
  const isBound = (name: string) => !free.some((each) => each === name) && !KEY_OF_INDEX.test(name) && !isOwn(name)
  const macOf = (key: Uint8Array, item: Attributes) => {
    const all = Object.entries(item).filter(([name]) => isBound(name))
    return hmacSha256(key, canonicalJson([definition.name, Object.fromEntries(all.map(([k, v]) => [k, textOf(v)]))]))
  }
  const marked = (write: Write): Write => ({
    ...write,
    members: async () => {
      const [key] = await keys()
      return { [MAC]: macOf(key, write.item.Put?.Item ?? {}) }
    },
  })
  const binding: ItemBinding = {
    ready: keys,
    holds: async (item) => {
      const mac = item[MAC]?.B
      const fits = (known: readonly Uint8Array[]) => known.some((key) => mac && sameBytes(macOf(key, item), mac))
      const isGenuine = fits(await keys()) || fits(await keys({ anew: true }))
      if (!isGenuine)
        alarm('row_forged', new Error('an item of the table was not written by the service'), {
          type: definition.name,
          pk: item.pk?.S,
          sk: item.sk?.S,
        })
      return isGenuine
    },
  }
  return {
    ...plain,
    binding,
    /** An item at this key that does not come from the service is replaced: it would keep the place for ever. */
    insert: (...given: Parameters<typeof plain.insert>): Write => ({
      ...marked(plain.insert(...given)),
      isForged: async (stands) => !(await binding.holds(stands)),
    }),
    replace: (...given: Parameters<typeof plain.replace>): Write => marked(plain.replace(...given)),
    update: (...given: Parameters<typeof plain.update>): Write => {
      const other = namesIn(given[1]).find(isBound)
      if (other !== undefined) throw new Error(`${definition.name}.${other} is bound: replace the item`)
      return plain.update(...given)
    },
  }
}

/** Revision, end and mark of the item itself. Its kind and the version of its form are bound. */
const isOwn = (name: string) => name.startsWith('_') && name !== '_s'

const namesIn = ({ set = {}, remove = [], add = {} }: Update) => [...Object.keys(set), ...remove, ...Object.keys(add)]

/** As canonical JSON takes it: numbers as the table normalises them, bytes as text. */
function textOf(value: AttributeValue): unknown {
  if (value.B) return { B: Buffer.from(value.B).toString('base64') }
  if (value.N !== undefined) return { N: Number(value.N) }
  if (value.L) return { L: value.L.map(textOf) }
  if (value.M) return { M: Object.fromEntries(Object.entries(value.M).map(([name, each]) => [name, textOf(each)])) }
  return value
}

const kept = memory<ReturnType<typeof lastingKeys>>(1)

/** Read anew before an item is refused, since another container may know a newer secret. */
function keys({ anew = false } = {}): ReturnType<typeof lastingKeys> {
  const known = anew ? undefined : kept.get('')
  if (known) return known
  const loading = lastingKeys('bound items/v1', { anew })
  kept.set('', loading)
  loading.catch(() => kept.delete(''))
  return loading
}
