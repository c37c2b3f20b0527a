import { expect, test } from 'vitest'
import { functionName } from '../../infra/platform.ts'
import { SLICE, synthesise } from './support/assembly.ts'
import { asArray, asObject, asText } from './support/resolve.ts'

const callingOut = [...SLICE.routes, ...SLICE.workers].filter(({ uses }) => uses.some((use) => 'outbound' in use))

/** Names of the functions that run in a network. */
const inNetwork = (context: Record<string, unknown>) =>
  synthesise(SLICE, context)
    .all('AWS::Lambda::Function')
    .filter(({ properties }) => properties.VpcConfig)
    .map(({ properties }) => asText(properties.FunctionName))

test('by default no function runs in a network', () => {
  expect(inNetwork({})).toEqual([])
})

test('on demand, exactly the functions that call out leave through addresses of our own', () => {
  const names = callingOut.map((row) => functionName('countersign', row))

  expect(names.length).toBeGreaterThan(2)
  expect(inNetwork({ staticEgress: true }).toSorted()).toEqual(names.toSorted())
})

test('they are told these addresses, and each leaves through a gateway of its own', () => {
  const assembly = synthesise(SLICE, { staticEgress: true })
  const fanOut = assembly
    .all('AWS::Lambda::Function')
    .find(({ properties }) => asText(properties.FunctionName).endsWith('fan-out-webhook'))
  const variables = asObject(asObject(fanOut?.properties.Environment).Variables)

  expect(assembly.all('AWS::EC2::EIP')).toHaveLength(2)
  expect(assembly.all('AWS::EC2::NatGateway')).toHaveLength(2)
  expect(asText(variables.EGRESS_ADDRESSES).split(',')).toHaveLength(2)
  expect(asArray(asObject(fanOut?.properties.VpcConfig).SubnetIds)).toHaveLength(2)
})
