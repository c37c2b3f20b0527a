// `npm run bench -- cpu`: CPU of one execute (AUTO, brokered, warm) against a handler that does one PutItem, both without
// a network. Runs are interleaved and repeated, since the machine is shared; what counts is the ratio.
import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { handler as execute } from '../../functions/protocol/execute.ts'
import { protocol } from '../../functions/protocol/routes.ts'
import { dynamodb } from '../../shared/base/aws/clients.ts'
import type { RestEvent } from '../../shared/base/wire/rest-event.ts'
import { startLocalStack } from '../support/local-stack.ts'
import { executeBody, PAYLOAD, referenceTenant } from '../support/reference-action.ts'
import { recording, startReplay } from './replay.ts'

const ROUNDS = 7
const REQUESTS = 400
const WARM_UP = 3_000
const GOAL = 6

const putOne = () =>
  dynamodb().send(
    new PutItemCommand({
      TableName: process.env.TABLE_NAME,
      Item: { pk: { S: 'bench' }, sk: { S: 'bench' }, payload: { S: JSON.stringify(PAYLOAD) } },
    }),
  )

const eventFor = (key: string): RestEvent => ({
  httpMethod: 'POST',
  path: protocol.execute.path,
  resource: protocol.execute.path,
  multiValueHeaders: { 'X-API-Key': [key], 'Content-Type': ['application/json'] },
  body: JSON.stringify(executeBody('AUTO')),
  requestContext: { identity: { sourceIp: '127.0.0.1' } },
})

/** CPU microseconds per request. */
async function cost(request: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < REQUESTS; i += 1) await request()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REQUESTS
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export async function run(): Promise<void> {
  const local = await startLocalStack({ embedded: true, plugins: [recording] })
  try {
    const { live_key } = await referenceTenant(local)
    const ask = () => execute(eventFor(live_key), {})
    for (let i = 0; i < 3; i += 1) await ask()
    await putOne()
    startReplay()
    const { statusCode, body } = await ask()
    if (statusCode !== 200) throw new Error(`execute answered ${body}`)
    for (let i = 0; i < WARM_UP; i += 1) await Promise.all([ask(), putOne()]) // the compiler works on
    const rounds: { execute: number; put: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) rounds.push({ execute: await cost(ask), put: await cost(putOne) })
    const ratios = rounds.map((round) => round.execute / round.put).toSorted((a, b) => a - b)
    console.table({
      'execute AUTO, brokered': { 'CPU µs (median)': Math.round(median(rounds.map((round) => round.execute))) },
      'one PutItem': { 'CPU µs (median)': Math.round(median(rounds.map((round) => round.put))) },
    })
    const [least = 0, most = 0] = [ratios[0], ratios.at(-1)]
    console.log(`ratio ${median(ratios).toFixed(1)} (${least.toFixed(1)} to ${most.toFixed(1)}; goal ≤ ${GOAL})`)
  } finally {
    await local.stop()
  }
}
