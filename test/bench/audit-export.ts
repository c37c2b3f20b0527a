// The archive for an audit of a chain of any length, made by the real worker. The chain is real, too; its headers lie in a file.
import { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { inflateRawSync } from 'node:zlib'
import { handler } from '../../functions/workers/run-export.ts'
import { writeAsset } from '../../infra/bundle/assets.ts'
import { ENVIRONMENT } from '../../infra/topology.ts'
import { AUDIT } from '../../shared/assure/audit-pack/manifest.ts'
import { AuditBody, requestAudit } from '../../shared/assure/audit-pack/request-audit.ts'
import { exports } from '../../shared/assure/exports/export.ts'
import { PACK, type PackManifest } from '../../shared/assure/exports/pack/pack.ts'
import { readDirectory } from '../../shared/assure/exports/pack/zip.ts'
import { resetClients } from '../../shared/base/aws/clients.ts'
import type { Context } from '../../shared/base/context.ts'
import { ulid } from '../../shared/base/lib/ids.ts'
import { toAttributes } from '../../shared/base/table/entity.ts'
import { blockKey, geneses, genesisKey, headKey } from '../../shared/ledger/evidence/chain/chain.ts'
import { sequence } from '../../shared/ledger/evidence/chain/sequence.ts'
import { checkpoint } from '../../shared/ledger/evidence/sign/checkpoint.ts'
import { intercept } from '../support/intercept.ts'
import { memorySecrets } from '../support/memory-aws.ts'
import { personIn } from '../support/person.ts'
import { type CheckedSpace, checkedSpace } from '../unit/assure/space.ts'
import { SPACE, TABLE } from '../unit/ledger/evidence/world.ts'
import { counterBytes } from './counter-ids.ts'
import { chainOf, signAt } from './sample-chain.ts'
import { fileIn, filesIn, StoredHeaders } from './stored-apart.ts'

const MINUTE = 60_000
const MEGABYTE = 1_048_576
const SAMPLE_MS = 20
/** The run and the request record something, too, and a pack holds a million. */
export const OWN = 20
const SIGNED_EACH = 100
const ROUNDS_MAX = 10

/** A tenant with so many artifacts. */
async function tenantWith(artifacts: number, folder: string): Promise<{ it: CheckedSpace; headers: StoredHeaders }> {
  for (const name of ['verify.mjs', 'FORMAT.md', 'DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'] as const) {
    process.env[ENVIRONMENT.asset[name]] = join(folder, name)
    await writeAsset(name, join(folder, name))
  }
  Object.assign(process.env, { FILES_BUCKET: 'files' })
  const it = await checkedSpace()
  const services = { kms: it.kms.send, s3: filesIn(folder, it.s3.send), sqs: it.sqs.send }
  const answers = { dynamodb: it.table.send.bind(it.table), ...services, 'secrets-manager': memorySecrets(it.secret) }
  resetClients([(client, service) => intercept(client, answers[service as keyof typeof answers])])
  const headers = new StoredHeaders(folder, 3 * artifacts)
  await found(it, artifacts - OWN, headers)
  const stored = (key: { pk?: { S?: string }; sk?: { S?: string } }) =>
    it.table.item(TABLE, { pk: key.pk?.S ?? '', sk: key.sk?.S ?? '' })
  it.table.hooks = { instead: (call) => headers.answer(call, stored) }
  return { it, headers }
}

/** Blocks and head as the sequencer stores them, signed now and then. */
async function found({ ctx, table }: CheckedSpace, artifacts: number, headers: StoredHeaders): Promise<void> {
  const genesis = await ctx.table.get(geneses, genesisKey(SPACE))
  if (!genesis) throw new Error('no genesis')
  for (const { head, number, block, items } of chainOf(counted(ctx), genesis, artifacts)) {
    table.tamper(TABLE, blockKey(SPACE, number), (base) => ({ ...base, ...toAttributes(block) }))
    for (const { id, header } of items) headers.put(id, header)
    if (number % SIGNED_EACH > 0 && head.size < artifacts) continue
    await signAt(ctx, genesis, head)
    table.tamper(TABLE, headKey(SPACE), (base) => ({ ...base, ...toAttributes({ ...head, _v: 1 }) }))
  }
}

/** Counts its ids. */
function counted(ctx: Context): Context {
  let counter = 0
  return { ...ctx, id: (prefix) => `${prefix}_${ulid(ctx.now(), counterBytes((counter += 1)))}` }
}

/** Requests the archive and does what queues and the sweeper do until it is there. Answers its path. */
async function made(it: CheckedSpace, folder: string): Promise<string> {
  const { export_id } = await requestAudit(personIn(SPACE), 'soc2', AuditBody.parse({}))
  const body = JSON.stringify({ ...SPACE, id: export_id })
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    await sequence(it.ctx)
    await checkpoint(it.ctx, true)
    it.later(MINUTE)
    const { batchItemFailures } = await handler({ Records: [{ messageId: 'm', body }] })
    const item = await it.ctx.table.get(exports, { ...SPACE, id: export_id })
    if (batchItemFailures.length > 0 || item?.status === 'failed') throw new Error(item?.error ?? 'not made')
    if (item?.file) return fileIn(folder, item.file.key)
  }
  throw new Error('the archive is not ready')
}

/** How many artifacts the pack in an archive says it has. */
async function linesIn(path: string): Promise<number> {
  const { members } = await readDirectory(path)
  const member = members.find(({ name }) => name.toString() === `${AUDIT.chain}${PACK.manifest}`)
  if (!member) throw new Error('the archive has no chain')
  const file = await open(path)
  try {
    const { name, offset, packed } = member
    const { buffer } = await file.read(Buffer.alloc(packed), 0, packed, offset + 30 + name.length)
    const manifest: PackManifest = JSON.parse(inflateRawSync(buffer).toString())
    return manifest.files.find((one) => one.path === PACK.artifacts)?.rows ?? 0
  } finally {
    await file.close()
  }
}

const held = () => {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Seconds, and megabytes above the start at their highest: garbage that was not collected yet is among them. */
async function measured<T>(work: () => Promise<T>) {
  globalThis.gc?.()
  const [before, began] = [held(), performance.now()]
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, held())), SAMPLE_MS)
  const result = await work()
  clearInterval(timer)
  const seconds = Math.round((performance.now() - began) / 1_000)
  return { result, seconds, megabytes: Math.round((peak - before) / MEGABYTE) }
}

export async function auditOf(artifacts: number) {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'))
  const { it, headers } = await tenantWith(artifacts, folder)
  try {
    await it.enable('soc2')
    await it.perform((await it.ask()).id)
    const { result: path, seconds, megabytes } = await measured(() => made(it, folder))
    const file = await open(path)
    const { size } = await file.stat()
    await file.close()
    return { lines: await linesIn(path), seconds, megabytes, 'size in MB': Math.round(size / MEGABYTE) }
  } finally {
    headers.close()
    rmSync(folder, { recursive: true })
  }
}
