// Idempotency-Key: the key commits in the same transaction as its effect, so a retry can never run the effect twice.
//
// A key goes through these steps, and each death leaves one of them behind:
//
// 1. The look-up starts before the credential is read. Its result is used only after authorisation, and only for the same caller with the
//    same body; others get 409 or 422 and learn nothing of the first request.
// 2. Nothing found: `ctx.table.joining` adds the claim of the key to the commit that carries out the request. A process that dies before
//    this commit has stored neither effect nor key, so the retry simply runs.
// 3. Of two requests at the same time one commits; the other one's claim fails with `LostRace` and nothing of it is stored. It then looks
//    for the answer of the first, and else answers 409 `idempotency_in_progress`.
// 4. The answer is stored after the commit, or built again by `replay` from the committed resource. A process that dies between the two
//    leaves a key without an answer: a retry gets 409 for a minute, in which the first request may still run, and then the address of
//    the resource. With `replay` it gets the answer at once.
//
// The other order, key first and effect later, would leave after a death a key that nothing was done for.
import { callerId, type Context, type Principal, type Space } from '../base/context.ts'
import { canonicalJson, sha256Hex } from '../base/lib/json.ts'
import { isHeld } from '../base/kernel/lease.ts'
import { iso } from '../base/lib/clock.ts'
import { conflict, Failure } from '../base/lib/failure.ts'
import { warn } from '../base/lib/log.ts'
import { entity, type Key, spaceKey, type Stored } from '../base/table/entity.ts'
import type { Table } from '../base/table/table.ts'
import { HttpResponse, type Call, EarlyResponse, type Layer, Remembered } from '../base/wire/call.ts'
import type { Route } from '../base/wire/route.ts'
import { sameCall } from './mcp-call.ts'

const KEPT_MS = 86_400_000
const BODY_MAX = 100_000
/** A request without an answer counts as running for this long; after that its process has died. */
const UNDER_WAY_MS = 60_000

const remembered = entity({
  name: 'IDEM',
  unbound: 'bounded',
  schema: Remembered,
  key: (of: Space & { digest: string }) => ({ pk: spaceKey(of, 'IDEM', of.digest), sk: 'IDEM' }),
  ttl: (item) => Math.floor(Date.parse(item.expires_at) / 1_000),
})

/** The repeating request, for answers that repeat something of it. */
export type Repeat = Pick<Call, 'body' | 'headers'>

export type OnceOptions = {
  /**
   * Builds the answer again from what the first request committed; undefined while that is unknown. With `protect` it is
   * used only if the first answer was not stored: its process died, or it was too long.
   */
  replay?: (ctx: Context, ref: string, call: Repeat) => Promise<HttpResponse | undefined>
  /** Seals stored answers that hold a secret or a payload. */
  protect?: {
    seal: (space: Space, at: Key, text: string) => Promise<string>
    open: (space: Space, at: Key, sealed: string) => Promise<string>
  }
}

/** Thrown when another request with the same key committed first. */
class LostRace extends Failure {
  constructor() {
    super('conflict', 'A request with this Idempotency-Key is still running. Repeat yours in a moment.', {
      code: 'idempotency_in_progress',
      retryAfterSeconds: 1,
    })
  }
}

/** Others than the first caller learn nothing of the first request or its answer (decision 0181). */
const inUse = () =>
  conflict('Another person, agent or application has used this Idempotency-Key. Send a new key.', {
    code: 'key_in_use',
  })

/**
 * The scope of an idempotency key: tenant, mode, operation and path values. The look-up starts before the credential is read, so
 * the caller is compared with the item that was found. On routes about the caller's own account the person belongs to the scope.
 */
const digestOf = (route: Route, call: Call) =>
  sha256Hex(`${route.id}${whose(route, call)}\n${canonicalJson(call.params)}\n${call.idempotencyKey}`)

const isPersonal = ({ access }: Route) => access === 'self'
const whose = (route: Route, { ctx }: Call) => (isPersonal(route) && ctx ? `\n${ctx.principal.id}` : '')

/** Starts the look-up early. Its result is used only after authorisation. */
export const lookUp = (route: Route, call: Call, space: Space, table: Table) =>
  isPersonal(route) ? undefined : find(route, call, space, table)

function find(route: Route, call: Call, space: Space, table: Table) {
  if (!call.idempotencyKey) return undefined
  return table.get(remembered, { ...space, digest: digestOf(route, call) })
}

export const once = (route: Route, options: OnceOptions): Layer => ({
  before: async ({ event: { call } }) => {
    const { ctx } = call
    if (!ctx || !call.idempotencyKey) return
    const found = await (isPersonal(route) ? find(route, call, ctx.space, ctx.table) : call.started?.remembered)
    const fingerprint = fingerprintOf(route, call)
    if (found && isKept(ctx, found)) throw new EarlyResponse(await replay(call, ctx, { found, fingerprint, options }))
    const digest = digestOf(route, call)
    ctx.table.joining = (ref) => [claim(ctx, { digest, fingerprint, ref })]
  },
  after: async ({ event: { call }, response }) => {
    const { ctx } = call
    // While `joining` is set, no commit has claimed the key.
    if (!ctx || !call.idempotencyKey || ctx.table.joining || !(response instanceof HttpResponse)) return
    if (options.replay && !options.protect) return
    const at = remembered.key({ ...ctx.space, digest: digestOf(route, call) })
    // The effect is committed, so the caller gets the answer even if it cannot be stored for a repeat.
    await keep(ctx, at, response, options).catch((error: unknown) => warn('answer_not_kept', error))
  },
  onError: async (request) => {
    const { call } = request.event
    const { ctx } = call
    if (!ctx || !call.idempotencyKey || !isConflict(request.error)) return
    try {
      const found = await find(route, call, ctx.space, ctx.table)
      const fingerprint = fingerprintOf(route, call)
      if (found && isKept(ctx, found)) request.response = await replay(call, ctx, { found, fingerprint, options })
    } catch (error) {
      request.error = error // the outermost layer answers it; middy would lose an error thrown here
    }
  },
})

const fingerprintOf = ({ dialect }: Route, { sent }: Call): string =>
  sha256Hex(canonicalJson(dialect === 'mcp' ? sameCall(sent) : sent))

const isKept = (ctx: Context, { expires_at }: Remembered) => expires_at > iso(ctx.now())

/** A conflict may be caused by a first try that committed a moment ago. */
const isConflict = (error: unknown) => error instanceof Failure && error.kind === 'conflict'

async function keep(
  ctx: Context,
  at: Key,
  { status, body, headers }: HttpResponse,
  { protect }: OnceOptions,
): Promise<void> {
  const text = JSON.stringify(body)
  if (text.length > BODY_MAX) return
  const kept = protect ? await protect.seal(ctx.space, at, text) : text
  await ctx.table.update(at, { set: { status, headers, body: kept } })
}

function claim(ctx: Context, of: Pick<Remembered, 'digest' | 'fingerprint' | 'ref'>) {
  const { principal } = ctx
  const item = {
    ...ctx.space,
    ...of,
    caller: callerId(principal),
    person: accountable(principal),
    expires_at: iso(ctx.now() + KEPT_MS),
  }
  const write = remembered.insert(item, new LostRace())
  const { Put } = write.item
  if (Put) {
    Put.ConditionExpression = 'attribute_not_exists(pk) OR expires_at <= :now'
    Put.ExpressionAttributeValues = { ':now': { S: iso(ctx.now()) } }
  }
  return write
}

type Kept = { found: Stored<Remembered>; fingerprint: string; options: OnceOptions }

async function replay(call: Repeat, ctx: Context, { found, fingerprint, options }: Kept) {
  if (found.caller !== callerId(ctx.principal)) throw inUse() // first, because also the fingerprint says something of the body
  if (found.fingerprint !== fingerprint) {
    const msg = 'You used this key with another request body. Send a new key.'
    const loc = ['header', 'Idempotency-Key']
    throw new Failure('invalid', [{ loc, msg, type: 'idempotency_mismatch' }], { code: 'idempotency_mismatch' })
  }
  const first = await firstAnswer(call, ctx, { found, options })
  return new HttpResponse(first.status, first.body, {
    headers: { ...first.headers, 'Idempotent-Replayed': 'true' },
    unchanged: true,
  })
}

const accountable = ({ persons, id }: Principal): string => persons[0] ?? id

const carriedOut = (ref: string) =>
  conflict(`Your first request with this Idempotency-Key was carried out. Read ${ref}.`)

async function firstAnswer(
  call: Repeat,
  ctx: Context,
  { found, options }: Omit<Kept, 'fingerprint'>,
): Promise<HttpResponse> {
  // Somebody else who rotated the key is not noted as one who has seen the secret, so it is not shown again.
  const isSecret = options.protect && !options.replay
  if (isSecret && found.ref && found.person !== accountable(ctx.principal)) throw carriedOut(found.ref)
  if (found.body !== undefined && found.status !== undefined) {
    const at = remembered.key(found)
    const text = options.protect ? await options.protect.open(ctx.space, at, found.body) : found.body
    return new HttpResponse(found.status, JSON.parse(text), { headers: found.headers ?? {} })
  }
  if (options.replay && found.ref) {
    const again = await options.replay(ctx, found.ref, call)
    if (again) return again
  } else if (found.ref && !isHeld(Date.parse(found.expires_at) - KEPT_MS + UNDER_WAY_MS, ctx.now())) {
    throw carriedOut(found.ref)
  }
  throw new LostRace()
}
