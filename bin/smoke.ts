// `npm run smoke -- [--url <API> --app-url <application> --key <key>]`: the main job against a deployment, a line for each step. It
// registers the node `countersign.smoke.test`, which no target runs, and leaves evidence. The key may also come from COUNTERSIGN_KEY.
// Another person approves: who signs in with COUNTERSIGN_APPROVER_EMAIL and COUNTERSIGN_APPROVER_PASSWORD, or has the access token
// in COUNTERSIGN_APPROVER_TOKEN. Without flags: the service of `npm start`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const NODE = 'countersign.smoke.test'
const MANIFEST = {
  protocol_version: '1.0',
  node: {
    id: NODE,
    name: 'Smoke test',
    version: '1.1.0',
    category: 'test',
    endpoints: [
      { action_id: 'get_sample', description: 'Reads a sample.', kind: 'read' },
      { action_id: 'update_sample', description: 'Updates a sample.', undo_action_id: 'restore_sample' },
      { action_id: 'restore_sample', description: 'Restores a sample.' },
      { action_id: 'deploy_sample', description: 'Waits for a person.', approval_required: true },
    ],
  },
}
const REQUESTS = 20
const SEALED_WITHIN_S = 180

// oxlint-disable-next-line typescript/no-explicit-any -- each step checks what it finds in a body
type Reply = { status: number; headers: Headers; body: any }

const { values: flags } = parseArgs({
  options: {
    url: { type: 'string' },
    'app-url': { type: 'string' },
    key: { type: 'string', default: process.env.COUNTERSIGN_KEY },
  },
})

type SignIn = { email: string; password: string }
type Target = { api: string; app: string; key: string; approver: SignIn | { token: string } }

function approverNamed(): Target['approver'] | undefined {
  const {
    COUNTERSIGN_APPROVER_TOKEN: token,
    COUNTERSIGN_APPROVER_EMAIL: email,
    COUNTERSIGN_APPROVER_PASSWORD: password,
  } = process.env
  if (token !== undefined) return { token }
  return email !== undefined && password !== undefined ? { email, password } : undefined
}

function findTarget(): Target {
  const { url, key, 'app-url': app } = flags
  const approver = approverNamed()
  if (url !== undefined && app !== undefined && key !== undefined && approver) return { api: url, app, key, approver }
  if (url !== undefined || app !== undefined)
    throw new Error('Give --url, --app-url, a key, and how another person signs in.')
  const file = join(process.env.COUNTERSIGN_DATA_DIR ?? '.countersign', 'credentials.json')
  const local: Record<'api_url' | 'app_url' | 'live_key', string> & { approver: SignIn } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  return { api: local.api_url, app: local.app_url, key: local.live_key, approver: local.approver }
}

/** As a browser asks before it calls another origin. */
const preflight = (url: string, Origin: string) =>
  fetch(url, { method: 'OPTIONS', headers: { Origin, 'Access-Control-Request-Method': 'POST' } })

type Credential = { 'x-api-key': string } | { authorization: string }

async function ask(url: string, credential?: Credential, body?: object): Promise<Reply> {
  const response = await fetch(url, {
    headers: { 'content-type': 'application/json', ...credential },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

/** Throws what was answered instead. */
function must(isSo: boolean, { status, body }: Reply): void {
  if (!isSo) throw new Error(`answered ${status}: ${JSON.stringify(body).slice(0, 500)}`)
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/** In order; each throws unless the deployment does what it should, and may return what is worth telling. */
function stepsFor({ api, app, key: secret, approver }: Target): [name: string, run: () => Promise<string | void>][] {
  const key = { 'x-api-key': secret }
  const execute = (action_id: string) =>
    ask(`${api}/api/v1/protocol/execute`, key, { node_id: NODE, action_id, payload: {} })
  const readsSample = async () => {
    const reply = await execute('get_sample')
    must(reply.status === 200 && reply.body.status === 'executed', reply)
  }
  let held: Reply
  let person: Credential
  const approve = (by: Credential) =>
    ask(`${api}/api/v1/work/approvals/${held.body.approval.id}/approve`, by, { reason: 'smoke test' })
  return [
    [
      'both hosts serve',
      async () => {
        const replies = await Promise.all([api, app].map((host) => ask(`${host}/api/health`)))
        for (const reply of replies) must(reply.status === 200, reply) // also while degraded, as a busy machine is
        return replies.map(({ body }) => body.status).join(', ')
      },
    ],
    [
      'an unknown path and a missing key are refused in our words',
      async () => {
        const unknown = await ask(`${api}/nothing`)
        must(unknown.status === 404 && unknown.body.code === 'not_found', unknown)
        const nobody = await ask(`${api}/api/evidence/verify`)
        must(nobody.status === 401 && nobody.headers.has('x-request-id'), nobody)
      },
    ],
    [
      'the reference and the discovery document name these hosts',
      async () => {
        const reference = await ask(`${api}/openapi.json`)
        must(reference.body.servers?.[0]?.url === api, { ...reference, body: reference.body.servers })
        const discovery = await ask(`${app}/.well-known/oauth-authorization-server`)
        must(discovery.body.issuer === app, discovery)
      },
    ],
    [
      'both hosts publish the keys of tokens, and nothing secret of them',
      async () => {
        for (const reply of await Promise.all([api, app].map((host) => ask(`${host}/.well-known/jwks.json`)))) {
          const keys: object[] = reply.body.keys ?? []
          must(keys.length > 0 && keys.every((one) => 'kid' in one && !('d' in one)), reply)
        }
      },
    ],
    [
      'the reference may call the API from a browser, with a token and never with a key',
      async () => {
        const { origin } = new URL(app)
        const { status, headers } = await preflight(`${api}/api/v1/protocol/execute`, origin)
        const [allowed, sent] = ['origin', 'headers'].map((name) => headers.get(`access-control-allow-${name}`) ?? '')
        const isRight = allowed === origin && /\bAuthorization\b/i.test(sent ?? '') && !/X-API-Key/i.test(sent ?? '')
        must(isRight, { status, headers, body: { allowed, sent } })
      },
    ],
    [
      'a node is registered',
      async () => {
        const reply = await ask(`${api}/api/v1/protocol/manifest`, key, { manifest: MANIFEST })
        must(reply.status === 201 || reply.body.code === 'already_exists', reply) // by an earlier run
      },
    ],
    ['AUTO: a read runs at once', readsSample],
    [
      'SOFT: an update runs at once and is undone',
      async () => {
        const reply = await execute('update_sample')
        must(reply.status === 200 && reply.body.receipt.routing_decision.tier === 'SOFT', reply)
        const undone = await ask(api + reply.body.undo_url, key, {})
        must(undone.status === 200 && undone.body.status === 'undone', undone)
      },
    ],
    [
      'HARD: a deployment waits',
      async () => {
        held = await execute('deploy_sample')
        must(held.status === 202 && held.body.status === 'pending_approval', held)
      },
    ],
    [
      'HARD: whoever asked cannot approve',
      async () => {
        const reply = await approve(key)
        must(reply.status === 403, reply)
      },
    ],
    [
      'another person signs in',
      async () => {
        const reply = 'token' in approver ? undefined : await ask(`${api}/api/v1/auth/login`, undefined, approver)
        if (reply) must(reply.status === 200 && reply.body.access_token !== undefined, reply)
        person = { authorization: `Bearer ${'token' in approver ? approver.token : reply?.body.access_token}` }
      },
    ],
    [
      'HARD: this person approves, and it runs once',
      async () => {
        for (const reply of [await approve(person), await approve(person)])
          must(reply.status === 200 && reply.body.status === 'approved', reply)
        const { request_id } = held.body.receipt
        const reply = await ask(`${api}/api/v1/protocol/executions/${request_id}`, key)
        must(reply.status === 200 && reply.body.status === 'executed', reply)
      },
    ],
    [
      'the evidence is sealed and verifies',
      async () => {
        let toSeal = 0
        for (let second = 0; ; second += 5) {
          const reply = await ask(`${api}/api/evidence/verify`, key)
          const { chain_valid, broken_links, verification, total_artifacts } = reply.body
          must(reply.status === 200 && chain_valid && broken_links === 0, reply)
          toSeal ||= Number(total_artifacts) // each verification adds an artifact
          if (verification.anchored_through >= toSeal) return `${toSeal} artifacts`
          if (second >= SEALED_WITHIN_S) must(false, reply)
          await wait(5_000)
        }
      },
    ],
    [
      `${REQUESTS} reads one after another`,
      async () => {
        const times: number[] = []
        for (let n = 0; n < REQUESTS; n += 1) {
          const from = performance.now()
          await readsSample()
          times.push(Math.round(performance.now() - from))
        }
        const sorted = times.toSorted((a, b) => a - b)
        return `p50 ${quantile(sorted, 0.5)} ms, p95 ${quantile(sorted, 0.95)} ms`
      },
    ],
  ]
}

for (const [name, run] of stepsFor(findTarget())) {
  try {
    const told = await run()
    console.log(`ok    ${name}${told ? `: ${told}` : ''}`)
  } catch (error) {
    console.log(`FAIL  ${name}: ${error instanceof Error ? error.message : String(error)}`)
    process.exitCode = 1
  }
}
