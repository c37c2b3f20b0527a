import { openTable } from '../../shared/base/context.ts'
import type { Stored, Write } from '../../shared/base/table/entity.ts'
import type { Readable } from '../../shared/base/table/table.ts'

type Rewritable<T, K> = Readable<Stored<T>, K> & { replace: (item: T, was: { _v: number }) => Write }

/** Changes an item as the service would, so that a bound one still counts. */
export async function rewrite<T, K>(of: Rewritable<T, K>, id: NoInfer<K>, over: Partial<NoInfer<T>>): Promise<void> {
  const table = openTable()
  const was = await table.get(of, id)
  if (!was) throw new Error('there is no such item')
  await table.commit([of.replace({ ...was, ...over }, was)])
}
