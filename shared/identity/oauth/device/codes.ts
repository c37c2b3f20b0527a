// Device codes (RFC 8628). A person types a short code, which could be guessed: its look-up item is stored under a keyed hash, so
// that nobody who reads the table finds the device code by trying all short ones, and every address may try only a few.
import { errors, type Payload, Provider } from 'oidc-provider'
import { derivedKey } from '../../../base/aws/deployment-secret.ts'
import { openTable } from '../../../base/context.ts'
import { hmacSha256 } from '../../../base/lib/json.ts'
import { pollFigures, userCodeFigures } from '../../../base/limits/plans.ts'
import { takeOne } from '../../../base/limits/window.ts'
import { key, type Write } from '../../../base/table/entity.ts'
import { ConditionFailed } from '../../../base/table/table.ts'
import { named } from '../../artefacts/artefact.ts'
import { find, put } from '../../artefacts/store.ts'
import { ArtefactAdapter } from '../adapters/adapter.ts'
import { currentRequest } from '../current-request.ts'

const BY_USER_CODE = 'UserCode'

export class DeviceCodeAdapter extends ArtefactAdapter {
  constructor() {
    super('DeviceCode')
  }

  override async upsert(id: string, payload: Payload): Promise<void> {
    const table = openTable()
    const known = await lookUpId(String(payload.userCode))
    const lookUp = put(table, { model: BY_USER_CODE, id: known, payload: { device: id }, exp: Number(payload.exp) })
    const phase = phaseOf(payload)
    try {
      await table.commit([...this.writesOf(id, payload, { phase }).map(ifBefore(phase)), lookUp])
    } catch (error) {
      throw error instanceof ConditionFailed ? new errors.InvalidRequest('The code was used already.') : error
    }
  }

  /** A device that asks too often gets `slow_down` (RFC 8628). Only codes that exist are counted. */
  override async find(id: string): Promise<Payload | undefined> {
    const known = await super.find(id)
    if (!known || Provider.ctx?.oidc.route !== 'token') return known
    const pk = key('RL', 'device', named(this.model, id).hash)
    if ((await takeOne(openTable(), pk, pollFigures)).retryAfterSeconds) throw new errors.SlowDown()
    return known
  }

  /** Counts every code, the right ones too, before it is looked up. */
  override async findByUserCode(code: string): Promise<Payload | undefined> {
    const table = openTable()
    const { ip } = currentRequest().call
    const { retryAfterSeconds: wait } = await takeOne(table, key('RL', 'user-code', ip || 'unknown'), userCodeFigures())
    if (wait) throw tooManyCodes(wait)
    const known = await find(table, BY_USER_CODE, await lookUpId(code))
    return known && find(table, this.model, String(known.device))
  }
}

const lookUpId = async (code: string) => hmacSha256(await derivedKey('oauth user codes'), code).toString('base64url')

const ASKED = 0
const CONFIRMED = 1
const ANSWERED = 2

function phaseOf({ accountId, error, inFlight }: Payload): number {
  if (accountId !== undefined || error !== undefined) return ANSWERED
  return inFlight === undefined ? ASKED : CONFIRMED
}

/** A code never goes back: of two browsers that confirm it one goes on, and nobody changes an answer or renews a used code. */
const ifBefore =
  (phase: number) =>
  (write: Write): Write => {
    const { Put } = write.item
    if (!Put) return write
    const condition = {
      ConditionExpression: 'attribute_not_exists(pk) OR #phase < :phase',
      ExpressionAttributeNames: { '#phase': 'phase' },
      ExpressionAttributeValues: { ':phase': { N: String(phase) } },
    }
    return { ...write, item: { Put: { ...Put, ...condition } } }
  }

function tooManyCodes(seconds: number): Error {
  Provider.ctx?.set('Retry-After', String(seconds))
  return Object.assign(new errors.SlowDown('Too many codes were tried from this address.'), { statusCode: 429 })
}
