// A node: a business system with a real side effect. It keeps notes and refunds as files, honours the idempotency key and
// does nothing that is not signed with its secret.
import { createHmac } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { serve } from './http-actor.ts'
import { report } from './report.ts'

const [directory = '.'] = process.argv.slice(2)
const secretFile = join(directory, 'signing-secret')
const pathOf = (name: string) => join(directory, `${name}.json`)

type Payload = { name: string; text?: string; amount?: number; id?: string }

const ACTIONS: Record<string, (payload: Payload, requestId: string) => object> = {
  get_note: ({ name }) =>
    existsSync(pathOf(name)) ? JSON.parse(readFileSync(pathOf(name), 'utf8')) : { missing: true },
  add_note: ({ name, text }) => {
    writeFileSync(pathOf(name), JSON.stringify({ text }))
    return { written: name }
  },
  remove_note: ({ id = '' }) => {
    rmSync(pathOf(id), { force: true })
    return { removed: id }
  },
  refund_payment: ({ amount }, requestId) => {
    writeFileSync(pathOf(`refund-${requestId}`), JSON.stringify({ amount }), { flag: 'wx' }) // a second one would throw
    return { refunded: amount }
  },
}

serve(async ({ body, headers }) => {
  const secret = readFileSync(secretFile, 'utf8')
  const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  if (headers['x-service-signature'] !== expected) {
    report({ kind: 'forged', reason: 'bad signature' })
    return { status: 401 }
  }
  const { action_id, payload, request_id } = JSON.parse(body)
  report({ kind: 'called', action: action_id, request_id, key: headers['idempotency-key'] ?? '' })
  const run = ACTIONS[action_id]
  if (!run) return { status: 404 }
  return { status: action_id === 'add_note' ? 201 : 200, body: run(payload, request_id) }
})
