// A deployment in memory for the evidence tests: table, keys, bucket and queue behind the real SDK clients.
import { randomBytes } from 'node:crypto'
import type { ArtifactFacts } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { genesisWrites } from '../../../../shared/ledger/evidence/checkpoint/signing-key.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { resetClients } from '../../../../shared/base/aws/clients.ts'
import { type Context, setRuntime, type Space, systemContext } from '../../../../shared/base/context.ts'
import { unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { firstPointers } from '../../../../shared/base/tenant/tenant.ts'
import { intercept } from '../../../support/intercept.ts'
import { MemoryKms, MemoryS3, memorySecrets, MemorySqs } from '../../../support/memory-aws.ts'
import { MemoryTable } from '../../../support/memory-table.ts'
import { testClock } from '../../../support/test-clock.ts'

export const TABLE = 'table'
export const SPACE: Space = { tenant_id: 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3', mode: 'live' }

const ENVIRONMENT = {
  AWS_REGION: 'us-east-1',
  TABLE_NAME: TABLE,
  KEYS_TABLE_NAME: 'keys',
  SECRET_ID: 'secret',
  EVIDENCE_SECRET_ID: 'evidence-secret',
  SIGN_KEY_ID: 'sign',
  SEAL_KEY_ID: 'seal',
  EVIDENCE_BUCKET: 'evidence',
  EVIDENCE_ORIGIN: 'countersign.example',
  QUEUE_BASE: 'https://sqs.example/',
  LOG_LEVEL: 'off',
}

export type World = ReturnType<typeof world>

/** A fresh deployment, and everything in this process pointed at it. */
export function world() {
  Object.assign(process.env, ENVIRONMENT)
  const clock = testClock(Date.parse('2026-11-20T10:00:00.000Z'))
  const [kms, s3, sqs] = [new MemoryKms(), new MemoryS3(), new MemorySqs()]
  const table = new MemoryTable(clock.now)
  const secret: Record<string, string> = { root: 'r'.repeat(44), key: 'k'.repeat(44) }
  const services = { kms: kms.send, s3: s3.send, sqs: sqs.send, 'secrets-manager': memorySecrets(secret) }
  const answers = { dynamodb: table.send.bind(table), ...services }
  resetClients([(client, service) => intercept(client, answers[service as keyof typeof answers])])
  setRuntime({ clock, random: randomBytes })
  coldStart()
  return { clock, kms, s3, sqs, secret, table, ctx: systemContext(SPACE) }
}

/** A fresh deployment with both chains of one tenant, which nothing governs yet. */
export async function foundedWorld() {
  const made = world()
  const { tenant_id } = SPACE
  await made.ctx.table.commit([...firstPointers(tenant_id), ...(await genesisWrites(tenant_id, made.clock.now()))])
  return made
}

/** The clock of every container is set back. */
export function setBack(it: World, ms: number): void {
  const clock = { ...it.clock, now: () => it.clock.now() - ms }
  setRuntime({ clock })
  it.ctx = systemContext(it.ctx.space)
}

export const facts = (over: Partial<ArtifactFacts> = {}): ArtifactFacts => ({
  type: 'manifest.registered',
  subject: { type: 'node', id: 'crm.contacts.editor' },
  data: { version: '1.0.0' },
  ...over,
})

/** Commits so many artifacts, each in its own transaction; answers their ids. */
export async function recordMany(ctx: Context, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    const artifact = newArtifact(ctx, facts())
    await ctx.table.commit(commitWith(ctx, [{ artifact }]))
    ids.push(artifact.artifact_id)
  }
  return ids
}

/** The events `compliance.violation.detected` of all commits. */
export const toldViolations = (it: World) =>
  it.table
    .items(TABLE)
    .filter((item) => item._type?.S === 'OUTBOX')
    .flatMap((item) => unpackEvents(item.events?.S ?? '').events)
    .filter((event) => event.type === 'compliance.violation.detected')

/** The events of the newest commit. */
export function newestEvents(it: World) {
  const items = it.table.items(TABLE).filter((item) => item._type?.S === 'OUTBOX')
  const newest = items.toSorted((a, b) => ((a.sk?.S ?? '') < (b.sk?.S ?? '') ? 1 : -1))[0]
  return unpackEvents(newest?.events?.S ?? '').events
}
