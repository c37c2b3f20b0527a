// The writes that a verb adds to its transaction, so that state, artifacts and events exist together or not at all; and the
// HMACs by which the service recognises what it wrote itself.
import type { Measure } from '../../../base/catalog/measures.ts'
import type { Context, Space } from '../../../base/context.ts'
import { type Event, type EventDraft, stamped } from '../../events/event.ts'
import { outbox, outboxKey, packEvents } from '../../events/outbox.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Logout, Mail } from '../../events/mail.ts'
import type { Write } from '../../../base/table/entity.ts'
import { type Artifact, artifactKey, artifacts, pointerKey, pointers, shardOf, ulidOf } from './artifact.ts'
import * as z from 'zod'
import { canonicalJson, hmacSha256, sameBytes } from '../../../base/lib/json.ts'
import { env } from '../../../base/lib/runtime.ts'
import { memory } from '../../../base/lib/memory.ts'
import { chainName } from './hashes.ts'

/** An artifact and the events of the same transition, which get its id and hash. */
export type Transition = { artifact: Artifact; events?: readonly EventDraft[] }

export type RecordOptions = {
  /** Figures that the commit states for everything that is counted. */
  measures?: readonly Measure[]
  /** Sent after the commit. */
  mails?: readonly Mail[]
  /** Sent to OAuth clients after the commit. */
  logouts?: readonly Logout[]
}

/**
 * The writes for `ctx.table.commit`: artifact and pending pointer of each transition, and one outbox item for all events,
 * which begins with the `evidence.emitted` of every artifact. Nothing is stored before that commit, which takes all of them
 * or none. Actor and artifact of an event come from here, never from its draft. Pass the writes to one commit only.
 */
export function commitWith(
  ctx: Context,
  transitions: readonly [Transition, ...Transition[]],
  { measures, mails = [], logouts = [] }: RecordOptions = {},
): Write[] {
  const [{ artifact: first }] = transitions
  const events = [
    ...transitions.map(({ artifact }) => emitted(ctx, artifact)),
    ...transitions.flatMap(({ artifact, events: drafts = [] }) => drafts.map((draft) => stamp(ctx, draft, artifact))),
  ]
  return [
    ...transitions.flatMap(({ artifact }) => artifactWrites(ctx, artifact)),
    outbox.insert({
      ...outboxKey(ctx.space, ulidOf(first.artifact_id)),
      events: packEvents(events, measures),
      at: first.at,
      ...(mails.length > 0 && { mails: [...mails] }),
      ...(logouts.length > 0 && { logouts: [...logouts] }),
    }),
  ]
}

function artifactWrites({ space }: Context, { artifact_id, type, header, ah, at }: Artifact): Write[] {
  const announced = { artifact_id, shard: shardOf(artifact_id), ah, at: iso(at), type }
  const pointer = { ...pointerKey(space, artifact_id), s: announced.shard, ah, at: announced.at, artifact_type: type }
  return [
    { ...artifacts.insert({ ...artifactKey(space, artifact_id), header, ah }), artifact: type },
    { ...pointers.insert(pointer), members: async () => ({ mac: await attestation(space, announced) }) },
  ]
}

function emitted(ctx: Context, artifact: Artifact): Event {
  const { artifact_id, type, hash, subject } = artifact
  const data = { artifact_id, artifact_type: type, hash, subject }
  return stamp(ctx, { type: 'evidence.emitted', subject: { id: artifact_id, version: 1 }, data }, artifact)
}

const stamp = ({ principal }: Context, draft: EventDraft, { artifact_id, hash }: Artifact): Event =>
  stamped(draft, { type: principal.kind, id: principal.id }, { id: artifact_id, hash })

const Key = z.string().min(43)
/** The former key is accepted as well, for artifacts that were written during a rotation. */
const Secret = z.object({ key: Key, previous_key: Key.optional() })

/** The content of a pointer. */
type Announced = { artifact_id: string; shard: number; ah: Uint8Array; at: string; type: string }
export type Attested = Announced & { mac: Uint8Array | undefined }

/** The HMAC on a pending pointer. Its key is not in the table, so write access to the table adds nothing to the chain. */
async function attestation(space: Space, announced: Announced): Promise<Buffer> {
  const [key] = await attestingKeys()
  return attested(key, space, announced)
}

/** The announced artifacts that the service did not record. Reloads the keys before it reports any. */
export async function unattested<A extends Attested>(space: Space, announced: readonly A[]): Promise<A[]> {
  const suspects = without(await attestingKeys(), space, announced)
  return suspects.length === 0 ? suspects : without(await attestingKeys({ anew: true }), space, suspects)
}

type Keys = [Uint8Array, ...Uint8Array[]]

const without = <A extends Attested>(keys: Keys, space: Space, announced: readonly A[]): A[] =>
  announced.filter(({ mac, ...rest }) => !mac || !keys.some((key) => sameBytes(attested(key, space, rest), mac)))

const attested = (key: Uint8Array, space: Space, { artifact_id, shard, ah, at, type }: Announced): Buffer =>
  hmacSha256(
    key,
    Buffer.concat([
      Buffer.from(`gov.evidence/v1/recorded\n${[chainName(space), artifact_id, shard, at, type].join('\n')}\n`),
      ah,
    ]),
  )

/** Seals a result that the table keeps. Somebody who can write to the table can then remove a result, but not invent one. */
export async function sealOf(space: Space, kind: SealedKind, value: unknown): Promise<string> {
  const [key] = await attestingKeys()
  return sealedBy(key, space, kind, value).toString('base64url')
}

/** Whether the service sealed this value. Reloads the keys before it denies that. */
export async function isSealed(space: Space, kind: SealedKind, value: unknown, seal: string | undefined) {
  const given = Buffer.from(seal ?? '', 'base64url')
  const holds = (keys: Keys) => keys.some((key) => sameBytes(sealedBy(key, space, kind, value), given))
  return seal !== undefined && (holds(await attestingKeys()) || holds(await attestingKeys({ anew: true })))
}

/** The kinds of sealed values: a pass, one of its parts, the result of a part, and the results that verification shows. */
type SealedKind = 'pass' | 'part' | 'part-result' | 'last-full' | 'completeness'

const sealedBy = (key: Uint8Array, space: Space, kind: SealedKind, value: unknown): Buffer =>
  hmacSha256(key, Buffer.from(`gov.evidence/v1/verified\n${chainName(space)}\n${kind}\n${canonicalJson(value)}`))

const kept = memory<Promise<Keys>>(1)

function attestingKeys({ anew = false } = {}): Promise<Keys> {
  const known = anew ? undefined : kept.get('')
  if (known) return known
  const loading = loadKeys()
  kept.set('', loading)
  loading.catch(() => kept.delete(''))
  return loading
}

async function loadKeys(): Promise<Keys> {
  const { GetSecretValueCommand, secretsManager } = await import('../../../base/aws/secrets-manager.ts')
  const answer = await secretsManager().send(new GetSecretValueCommand({ SecretId: env('EVIDENCE_SECRET_ID') }))
  const { key, previous_key } = Secret.parse(JSON.parse(answer.SecretString ?? '{}'))
  return [Buffer.from(key), ...(previous_key === undefined ? [] : [Buffer.from(previous_key)])]
}
