// Which action agents reach by a name of a tool: the first one has it, until a person gives it to another.
import { beforeEach, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { bodyOf, type Governed, governed, NODE_ID } from '../../support/governed.ts'
import { modern, useTool } from '../../support/mcp.ts'
import { personWith } from '../../support/people.ts'
import { type SignedIn, signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const NAME = 'editor_get_contact'
const LATER = 'shop.contacts.editor'
const ACTION = { action_id: 'get_contact' }
let acme: Governed
let owner: string
let person: SignedIn
beforeEach(async () => {
  acme = await governed(local, [ACTION])
  bodyOf(await acme.register([ACTION], { id: LATER }), 201)
  person = await signIn(local, acme.owner)
  owner = person.access_token
})

const assign = (name = NAME, action: object = {}, key = owner) =>
  acme.call(protocol.assignToolName, {
    params: { tool_name: name },
    body: { node_id: LATER, ...ACTION, ...action },
    key,
  })
const release = (name: string, key = owner) => acme.call(protocol.releaseToolName, { params: { tool_name: name }, key })

type Tool = { name: string; _meta?: Record<string, string> }
const nodeOf = ({ _meta = {} }: Tool) => _meta['countersign/node_id']
const names = async (): Promise<Record<string, string | undefined>> => {
  const { body } = await modern(acme, 'tools/list')
  const tools: Tool[] = body.result.tools.filter(({ name }: Tool) => !name.startsWith('countersign_'))
  return Object.fromEntries(tools.map((tool) => [tool.name, nodeOf(tool)]))
}
const reached = async () => {
  const { structuredContent } = await useTool(acme, NAME, {})
  return (await acme.look(structuredContent.request_id)).receipt.node_id
}

describe('PUT /api/v1/protocol/tools/{tool_name}', () => {
  test('200: agents reach the other action at once, and the first one keeps a name', async () => {
    const [plain, hashed] = Object.entries(await names()).toSorted(([a], [b]) => a.length - b.length)
    expect([plain, hashed?.[1]]).toEqual([[NAME, NODE_ID], LATER])
    expect(await reached()).toBe(NODE_ID)

    expect(await assign()).toMatchObject({ status: 200, body: { name: NAME, node_id: LATER, ...ACTION } })
    expect(await reached()).toBe(LATER)
    const after = await names()
    expect(after).toEqual({ [NAME]: LATER, [Object.keys(after).find((name) => name !== NAME) ?? '']: NODE_ID })
    expect(Object.keys(after)).toHaveLength(2)
    expect(await assign()).toMatchObject({ status: 200 })
    expect(await names()).toEqual(after)
  })

  test('403: a key, and a person who may not write policies', async () => {
    const developer = await personWith(local, person, ['developer'])

    expect(await assign(NAME, {}, acme.live_key)).toMatchObject({ status: 403 })
    expect(await assign(NAME, {}, developer.access_token)).toMatchObject({ status: 403 })
    expect(await release(NAME, acme.live_key)).toMatchObject({ status: 403 })
    expect((await names())[NAME]).toBe(NODE_ID)
  })

  test('422: a name that the action cannot have; 404: an action that is not there', async () => {
    await acme.register([{ action_id: 'list_contacts' }], { id: 'desk.contacts.other' })
    expect(await assign('other_list_contacts')).toMatchObject({ status: 422 })
    expect(await assign('editor_other')).toMatchObject({ status: 404, body: { detail: 'tool not found' } })
    expect(await assign(NAME, { action_id: 'get_nothing' })).toMatchObject({ status: 404 })
    expect(await assign(NAME, { node_id: 'no.such.node' })).toMatchObject({ status: 404 })
  })
})

describe('DELETE /api/v1/protocol/tools/{tool_name}', () => {
  test('204: of an action that is gone, and the next one to register may take it', async () => {
    expect(await release(NAME)).toMatchObject({ status: 409 })
    bodyOf(await acme.register([{ action_id: 'list_contacts' }], { version: '1.1.0' }), 201)

    expect(await release(NAME)).toMatchObject({ status: 204 })
    expect(await release(NAME)).toMatchObject({ status: 404 })
    bodyOf(await acme.register([ACTION], { id: 'desk.contacts.editor' }), 201)
    expect((await names())[NAME]).toBe('desk.contacts.editor')
  })
})
