// Pages of the names of tools, in their order.
import type { Space } from '../../base/context.ts'
import type { Table } from '../../base/table/table.ts'
import { readCursor, writeCursor } from '../../base/wire/cursor.ts'
import { type ToolName, toolNames, toolsPartition } from '../manifests/tool-names.ts'

const PAGE = 100

export type NamesPage = { names: ToolName[]; next: string | undefined }

const scopeOf = (space: Space) => ({ space, operation: 'mcp-tools', filters: {} })

/** Throws 400 for a cursor that this list has not given. */
export async function namesAfter(table: Table, space: Space, cursor: string | undefined): Promise<NamesPage> {
  const after = cursor === undefined ? undefined : (await readCursor(scopeOf(space), cursor)).sort
  const found = await table.query(toolNames, { pk: toolsPartition(space), after, limit: PAGE + 1 })
  const names = found.slice(0, PAGE)
  const last = names.at(-1)
  if (found.length <= PAGE || !last) return { names, next: undefined }
  const next = await writeCursor(scopeOf(space), { group: 'tools', sort: last.name, total: 0, bounded: true })
  return { names, next }
}
