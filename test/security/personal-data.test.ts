// Known personal data is pushed through executions, approvals and tasks, and then looked for wherever something is kept in clear.
import { ScanCommand, type ScanCommandInput } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { evidence } from '../../functions/evidence/routes.ts'
import { exports } from '../../functions/exports/routes.ts'
import { work } from '../../functions/work/routes.ts'
import { dynamodb } from '../../shared/base/aws/clients.ts'
import { env } from '../../shared/base/lib/runtime.ts'
import { unpackEvents } from '../../shared/ledger/events/outbox.ts'
import { bodyOf, type Governed, governed } from '../support/governed.ts'
import { json, startTarget, type TestTarget } from '../support/target.ts'
import { download, unzip } from '../support/unzip.ts'
import { useLocalStack } from '../support/use-local-stack.ts'

const VALUES = {
  mail: 'canary.ann@example.com',
  card: '4111 1111 1111 1111',
  iban: 'DE89 3704 0044 0532 0130 00',
  ssn: '536-90-4399',
  phone: '+44 20 7946 0958',
  key: 'AKIAIOSFODNN7EXAMPLE',
}
const TEXT = `About ${Object.values(VALUES).join(', ')}.`
const SHORT = `${VALUES.mail}, ${VALUES.ssn}, ${VALUES.phone}`

const local = useLocalStack()
let target: TestTarget
const logged: string[] = []
beforeAll(async () => {
  target = await startTarget()
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => logged.push(String(line)) > 0)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await target.stop()
})

const holds = (text: string) => Object.values(VALUES).filter((value) => text.includes(value))

/** All bytes of a value in one text: what stands in binary, and what packed events say. */
function clear(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  if (Array.isArray(value)) return value.map((one) => clear(one)).join('\n')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, member]) => `${name} ${clear(member)}`)
      .join('\n')
  return typeof value === 'string' ? value + unpacked(value) : String(value)
}

function unpacked(packed: string): string {
  try {
    return JSON.stringify(unpackEvents(packed))
  } catch {
    return '' // it is something else
  }
}

async function itemsOf(tenant_id: string) {
  const items: Record<string, unknown>[] = []
  let from: ScanCommandInput['ExclusiveStartKey']
  do {
    const page = await dynamodb().send(new ScanCommand({ TableName: env('TABLE_NAME'), ExclusiveStartKey: from }))
    items.push(...(page.Items ?? []).map((item) => unmarshall(item)))
    from = page.LastEvaluatedKey
  } while (from)
  return items.filter((item) => JSON.stringify([item.pk, item.tenant_id]).includes(tenant_id))
}

async function tenantIn(pii_mode: 'detect' | 'redact' | 'block'): Promise<Governed> {
  const to = { type: 'http', url: target.url }
  const tenant = await governed(local, [
    { action_id: 'get_contact' },
    { action_id: 'find_contact', target: to },
    { action_id: 'update_contact' },
    { action_id: 'delete_contact' },
  ])
  await tenant.change({ pii_mode })
  return tenant
}

async function pushActions(acme: Governed, pii_mode: string) {
  const payload = { note: TEXT, [VALUES.mail]: [VALUES.card] }
  const ends = pii_mode === 'block' ? [403] : [200, 202]
  bodyOf(await acme.execute('get_contact', { payload }), ...ends)
  const asked = bodyOf(await acme.execute('delete_contact', { payload }), ...ends)
  if (asked.approval) bodyOf(await acme.approve(asked.approval.id), 200)
  target.next(json(200, { found: TEXT }))
  bodyOf(await acme.execute('find_contact'), 200)
}

async function pushTexts(acme: Governed) {
  const [yes, no] = [await acme.held(), await acme.held()]
  bodyOf(await acme.approve(yes.approval.id, { reason: TEXT }), 200)
  bodyOf(await acme.reject(no.approval.id, { reason: TEXT }), 200)
  const texts = { description: TEXT, labels: [VALUES.mail], checklist: [{ text: SHORT }] }
  const { id } = bodyOf(await acme.call(work.createTask, { body: { title: SHORT, ...texts } }), 201)
  const change = { note: TEXT, resolution: SHORT, status: 'completed', labels: [VALUES.ssn] }
  bodyOf(await acme.call(work.updateTask, { params: { id }, body: change }), 200)
}

async function exported(acme: Governed): Promise<string> {
  const { export_id } = bodyOf(await acme.call(evidence.createExport, { body: { include_payloads: false } }), 202)
  await local.drain()
  const { status, download_url } = (await acme.call(evidence.getExport, { params: { export_id } })).body
  if (status !== 'ready') throw new Error(`the export is ${status}`)
  const pack = unzip(await download(download_url))
  const receipts = (await acme.call(exports.receipts)).body
  return `${JSON.stringify(receipts)}\n${[...pack.values()].join('\n')}`
}

test.each(['detect', 'redact', 'block'] as const)(
  'in mode %s, personal data in payloads, outputs and, where it is replaced, in texts is kept nowhere in clear',
  async (mode) => {
    const acme = await tenantIn(mode)
    const told = await acme.told(async () => {
      await pushActions(acme, mode)
      if (mode !== 'detect') await pushTexts(acme)
    })
    await local.drain()
    const items = await itemsOf(acme.tenant_id)

    expect(items.filter(({ _type }) => _type === 'PII').length).toBeGreaterThanOrEqual(3)
    expect(items.filter((item) => holds(clear(item)).length > 0).map(({ _type }) => _type)).toEqual([])
    expect(holds(JSON.stringify(told))).toEqual([])
    expect(holds(logged.join(''))).toEqual([])
    expect(holds(await exported(acme))).toEqual([])
  },
)

test('the search finds what stands in clear', () => {
  expect(holds(clear({ a: [Buffer.from(TEXT)], b: 1 }))).toHaveLength(Object.keys(VALUES).length)
})
