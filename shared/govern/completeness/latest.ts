// Lists artifacts, newest first, from all shards of a chain. The total is the count of the chain, without the few artifacts
// that have no position yet.
import type { Context } from '../../base/context.ts'
import { executions } from '../executions/execution.ts'
import { pageOf } from '../../base/wire/page-of.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { Failure } from '../../base/lib/failure.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { artifactKey, readable, shardKey, SHARDS } from '../../ledger/evidence/artifact/artifact.ts'
import { ARTIFACT_TYPES } from '../../base/catalog/artifact-types.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import {
  artifactView,
  findArtifact,
  type ViewableArtifact,
  viewableArtifacts,
} from '../../ledger/evidence/artifact/view.ts'
import { newestCheckpoints } from '../../ledger/evidence/chain/read-chain.ts'
import { withEvidenceStatus } from '../../ledger/evidence/chain/row-evidence.ts'

export type LatestQuery = ListQuery & { type?: string | undefined; request_id?: string | undefined }

/** `type` is an artifact type or `<prefix>.*`; `request_id` names an execution of this space. */
export async function latestArtifacts(ctx: Context, query: LatestQuery) {
  const filter = typeFilter(query.type)
  const [anchored, page] = await Promise.all([
    anchoredSize(ctx),
    query.request_id === undefined ? listed(ctx, query, filter) : ofExecution(ctx, query.request_id, query, filter),
  ])
  const items = await withEvidenceStatus(ctx, page.items)
  return { ...page, items: items.map((item) => artifactView(item, anchored)) }
}

/** One artifact with its exact header. */
export async function getArtifact(ctx: Context, id: string) {
  const [found, anchored] = await Promise.all([findArtifact(ctx, id), anchoredSize(ctx)])
  const [item = found] = await withEvidenceStatus(ctx, [found])
  return { ...artifactView(item, anchored), header: item.header }
}

async function anchoredSize(ctx: Context): Promise<number> {
  const [newest] = await newestCheckpoints(ctx, 1)
  return newest?.size ?? 0
}

type TypeFilter = { every: boolean; matches: (type: string) => boolean }

function typeFilter(type: string | undefined): TypeFilter {
  if (type === undefined) return { every: true, matches: () => true }
  const matches = (one: string) => (type.endsWith('.*') ? one.startsWith(type.slice(0, -1)) : one === type)
  if (ARTIFACT_TYPES.some(matches)) return { every: false, matches }
  throw new Failure('invalid', [{ loc: ['query', 'type'], msg: 'names no artifact type', type: 'value_error' }])
}

async function listed(ctx: Context, query: LatestQuery, { every, matches }: TypeFilter) {
  const page = await paginate(ctx, 'evidence-latest', query, {
    of: viewableArtifacts,
    groups: [{ name: 'all', partitions: Array.from({ length: SHARDS }, (_, shard) => shardKey(ctx.space, shard)) }],
    ...(!every && { filter: (item: ViewableArtifact | undefined) => item !== undefined && matches(item.facts.type) }),
    total: async () => {
      const head = await ctx.table.get(readable(heads), headKey(ctx.space))
      const counts = Object.entries(head?.counts ?? {}).filter(([type]) => matches(type))
      return { total: counts.reduce((sum, [, count]) => sum + count, 0), complete: true }
    },
  })
  return { ...page, items: page.items.filter((item) => item !== undefined) }
}

/** An execution names its few artifacts. */
async function ofExecution(ctx: Context, id: string, query: LatestQuery, { matches }: TypeFilter) {
  const execution = idPattern('exe').test(id) ? await ctx.table.get(executions, { ...ctx.space, id }) : undefined
  const keys = (execution?.artifacts ?? []).map(({ artifact_id }) => artifactKey(ctx.space, artifact_id))
  const stored = (await ctx.table.read(viewableArtifacts, keys)).filter((item) => item !== undefined)
  const found = stored.filter(({ facts }) => matches(facts.type)).toReversed()
  return pageOf(ctx, 'evidence-latest', query, found, ({ sk }) => sk)
}
