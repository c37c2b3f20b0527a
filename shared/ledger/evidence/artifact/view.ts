// The view of an artifact. Every member comes from the hashed header, except the position, which the chain proves.
import * as z from 'zod'
import { artifactIdOf, artifactKey, artifacts, readable, type StoredArtifact } from './artifact.ts'
import { publicHash } from './hashes.ts'
import { Header } from './header.ts'
import type { Context } from '../../../base/context.ts'
import { notFound } from '../../../base/lib/failure.ts'
import { idPattern } from '../../../base/lib/ids.ts'

const visible = {
  artifact_id: true,
  type: true,
  occurred_at: true,
  request_id: true,
  subject: true,
  node_id: true,
  action_id: true,
  actor: true,
  outcome: true,
} as const

export const ArtifactView = z.object({
  ...Header.pick(visible).shape,
  /** `sha256:<hex>` */
  hash: z.string().describe('Hash of the artifact, hex.'),
  /** `pending`: no position yet; `anchored`: under a signed checkpoint; `refused`: not recorded by the service. */
  chain_status: z
    .enum(['pending', 'sequenced', 'anchored', 'refused'])
    .describe('`pending`: no position yet; `sequenced`: in the chain; `anchored`: covered by a signed checkpoint.'),
  sequence: z.int().nullable().describe('Position in the chain, from 0.'),
  previous_hash: z.string().nullable().describe('Hash of the chain before this artifact, hex.'),
  chain_hash: z
    .string()
    .nullable()
    .describe('Hash of the chain up to this artifact, hex. Null until the artifact has a position.'),
  payload_status: z
    .enum(['sealed', 'erased', 'none'])
    .describe('`sealed`: stored encrypted; `erased`: unreadable for ever.'),
})
export type ArtifactView = z.output<typeof ArtifactView>

/** With the canonical text that the hash covers. */
export const ArtifactDetail = ArtifactView.extend({
  header: z.string().describe('The canonical text that was hashed.'),
})

/** Parses only the members of the view. Verification finds changes of the others. */
const Facts = z.object({ ...Header.pick(visible).shape, payload_commitment: Header.shape.payload_commitment })

/** `refused`: the service did not record it (`withEvidenceStatus`). */
export type ViewableArtifact = StoredArtifact & { facts: z.output<typeof Facts>; refused?: boolean }

/** Artifacts with a readable header. Others read as missing; verification reports them. */
export const viewableArtifacts = readable({
  key: artifacts.key,
  decode: (attributes): ViewableArtifact => {
    const item = artifacts.decode(attributes)
    return { ...item, facts: Facts.parse(JSON.parse(item.header)) }
  },
})

/** `anchored`: the size of the newest checkpoint. */
export function artifactView({ facts, ...item }: ViewableArtifact, anchored: number): ArtifactView {
  const { payload_commitment, ...rest } = facts
  return {
    ...rest,
    artifact_id: artifactIdOf(item.sk),
    hash: publicHash(item.ah),
    chain_status: chainStatus(item, anchored),
    sequence: item.seq ?? null,
    previous_hash: item.prev ? publicHash(item.prev) : null,
    chain_hash: item.ch ? publicHash(item.ch) : null,
    payload_status: payload_commitment === undefined ? 'none' : item.erased_by ? 'erased' : 'sealed',
  }
}

function chainStatus({ seq, refused }: Pick<ViewableArtifact, 'seq' | 'refused'>, anchored: number) {
  if (seq === undefined) return refused ? 'refused' : 'pending'
  return seq < anchored ? 'anchored' : 'sequenced'
}

const ARTIFACT_ID = idPattern('art')

/** Throws 404 for an artifact outside this tenant and mode, a malformed id, and an unreadable item. */
export async function findArtifact(ctx: Context, id: string): Promise<ViewableArtifact> {
  const item = ARTIFACT_ID.test(id) ? await ctx.table.get(viewableArtifacts, artifactKey(ctx.space, id)) : undefined
  if (!item) throw notFound('artifact')
  return item
}
