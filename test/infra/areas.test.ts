import { describe, expect, test } from 'vitest'
import { pollerGrants } from '../../infra/constructs/worker-function.ts'
import { functionName } from '../../infra/platform.ts'
import { byArea, SURFACE } from '../../infra/surface.ts'
import { environment, type Grant, grants, type Row } from '../../infra/uses.ts'
import { type Found, synthesise } from './support/assembly.ts'
import { PROVIDERS, resolvedPlatform } from './support/platform.ts'
import { asArray, asObject, asText, attributeOf, type Json } from './support/resolve.ts'

const assembly = synthesise(SURFACE, PROVIDERS)
const platform = resolvedPlatform(assembly)
const rows = [...byArea(SURFACE).values()].flat()
const functions = new Map(
  assembly.all('AWS::Lambda::Function').map((one) => [asText(one.properties.FunctionName), one]),
)
const roles = new Map(assembly.all('AWS::IAM::Role').map((role) => [attributeOf(role.ref, 'Arn'), role]))

const found = (row: Row): Found => {
  const one = functions.get(functionName('countersign', row))
  if (!one) throw new Error(`no function for ${row.id}`)
  return one
}

const roleOf = (row: Row) => {
  const role = roles.get(asText(found(row).properties.Role))
  if (!role) throw new Error(`no role for ${row.id}`)
  return role
}

/** A list of one is written as the value itself. */
const list = (value: Json | undefined) => (Array.isArray(value) ? value : [value ?? null])

const granted = (row: Row) =>
  asArray(roleOf(row).properties.Policies)
    .flatMap((policy) => asArray(asObject(asObject(policy).PolicyDocument).Statement))
    .map(asObject)
    .map(({ Action, Resource, Condition }) => ({
      actions: list(Action),
      resources: list(Resource),
      ...(Condition && { conditions: Condition }),
    }))

const written = (row: Row): Grant[] => [
  { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [attributeOf(asText(logOf(row)), 'Arn')] },
]

const logOf = (row: Row) => asObject(found(row).properties.LoggingConfig).LogGroup

const failuresOf = ({ operation }: Row) => {
  const queue = assembly.all('AWS::SQS::Queue').find(({ path }) => path.endsWith(`/${operation}Failures/Resource`))
  return queue && attributeOf(queue.ref, 'Arn')
}

describe('areas', () => {
  test('every row has exactly one function and every function its row', () => {
    const names = rows.map((row) => functionName('countersign', row))

    expect(new Set(names).size).toBe(names.length)
    expect([...functions.keys()].toSorted()).toEqual(names.toSorted())
  })

  test('no two functions share a role or a log', () => {
    expect(new Set(rows.map((row) => roleOf(row).ref)).size).toBe(rows.length)
    expect(new Set(rows.map(logOf)).size).toBe(rows.length)
  })

  test.each(rows.map((row) => [row.id, row] as const))('%s: its role holds exactly what the row uses', (_, row) => {
    const polled = 'trigger' in row ? pollerGrants(row, platform, failuresOf(row)) : []

    expect(granted(row)).toEqual([...grants(row, platform), ...polled, ...written(row)])
    expect(roleOf(row).properties.ManagedPolicyArns).toBeUndefined()
  })

  test('no other policy is attached to the role of a function', () => {
    const attached = assembly.all('AWS::IAM::Policy').flatMap(({ properties }) => asArray(properties.Roles).map(asText))
    const own = new Set(rows.map((row) => roleOf(row).ref))

    expect(attached.filter((role) => own.has(role))).toEqual([])
  })

  test.each(rows.map((row) => [row.id, row] as const))(
    '%s: its environment is exactly what the row asks for',
    (_, row) => {
      expect(asObject(found(row).properties.Environment).Variables).toEqual(environment(row, platform))
    },
  )

  test('no environment holds a secret or opens the way to private addresses', () => {
    for (const [name, { properties }] of functions) {
      const variables = asObject(asObject(properties.Environment).Variables)
      expect(
        Object.keys(variables).filter((key) => key.startsWith('OUTBOUND_ALLOW')),
        name,
      ).toEqual([])
      expect(JSON.stringify(variables), name).not.toContain('{{resolve:')
    }
  })

  test('functions behind HTTP end before API Gateway gives up, and queues wait longer than their consumers', () => {
    for (const route of SURFACE.routes) if (!route.stream) expect(found(route).properties.Timeout).toBeLessThan(29)
    for (const worker of SURFACE.workers) {
      if (!('queue' in worker.trigger)) continue
      const { queue } = worker.trigger
      const visibility = assembly
        .all('AWS::SQS::Queue')
        .find(({ path }) => path.endsWith(`Messaging/${queue}/Resource`))?.properties.VisibilityTimeout
      expect(visibility, queue).toBeGreaterThanOrEqual(6 * worker.timeoutSeconds)
    }
  })

  test('stream readers see only new items of their kind, report single failures and put hopeless records aside', () => {
    for (const worker of SURFACE.workers) {
      if (!('stream' in worker.trigger)) continue
      const mapping = assembly
        .all('AWS::Lambda::EventSourceMapping')
        .find(({ properties }) => properties.FunctionName === found(worker).ref)
      const [filter] = asArray(asObject(mapping?.properties.FilterCriteria).Filters).map(asObject)
      expect(JSON.parse(asText(filter?.Pattern))).toEqual({
        eventName: ['INSERT'],
        dynamodb: { NewImage: { _type: { S: [worker.trigger.stream] } } },
      })
      expect(mapping?.properties).toMatchObject({
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        EventSourceArn: platform.table.streamArn,
        DestinationConfig: { OnFailure: { Destination: failuresOf(worker) } },
      })
    }
  })

  test('every worker has an alarm that says what users notice', () => {
    const sentences = assembly
      .all('AWS::CloudWatch::Alarm')
      .map(({ properties }) => asText(properties.AlarmDescription))

    for (const { impact } of SURFACE.workers) expect(sentences).toContain(impact)
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].+\.$/)
  })
})
