import { beforeAll, describe, expect, test } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { submitFeedback } from '../../../shared/learn/feedback/submit-feedback.ts'
import { bodyOf, type Governed, governed, requestOf } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
let request_id: string
beforeAll(async () => {
  acme = await governed(local)
  const { body } = await acme.execute('update_contact', { payload: { task: 'rename', contact: 'con_1' } })
  request_id = body.receipt.request_id
  await local.advance(60_000)
})

const submit = (body: object) => acme.call(training.submitFeedback, { body: { rating: 1, ...body } })
const onExecution = (body: object = {}) => submit({ target_type: 'execution', target_id: request_id, ...body })

describe('feedback', () => {
  test('is stored once per principal and target, with a comment without personal data and without its correction', async () => {
    bodyOf(await onExecution(), 201)
    const given = { rating: -1, label: 'incorrect', comment: 'ask ann@example.com', correction: { contact: 'con_2' } }
    const second = bodyOf(await onExecution(given), 201)

    expect(second).toMatchObject({ rating: -1, comment: 'ask [EMAIL_1]', has_correction: true })
    expect(JSON.stringify(second)).not.toContain('con_2')
    const list = bodyOf(await acme.call(training.listFeedback, { query: { target_id: request_id } }), 200)
    expect(list.items).toEqual([second])
    const other = bodyOf(await acme.call(training.listFeedback, { query: { rating: '1' } }), 200)
    expect(other.items).toEqual([])
  })

  test.each(['execution', 'approval', 'model', 'dataset', 'persona'])(
    'on an unknown %s is a 404',
    async (target_type) => {
      expect((await submit({ target_type, target_id: 'missing' })).status).toBe(404)
    },
  )

  test('with a correction of something that has no payload is a 422', async () => {
    expect((await submit({ target_type: 'persona', target_id: 'default', correction: {} })).status).toBe(422)
  })

  test('of a person turns a presumed sample over and adds the correction; that of a key does nothing', async () => {
    const generate = async (format: string) => {
      const { id } = bodyOf(await acme.call(training.generateDataset, { body: { name: 'f', format } }), 202)
      await local.drain()
      return bodyOf(await acme.call(training.getDataset, { params: { dataset_id: id } }), 200)
    }
    bodyOf(await onExecution({ rating: -1 }), 201)
    expect((await generate('kto')).counts).toMatchObject({ chosen: 1, rejected: 0, by_source: { presumed: 1 } })

    const body = {
      target_type: 'execution',
      target_id: request_id,
      rating: -1,
      correction: { contact: 'con_2' },
    } as const
    await submitFeedback(requestOf(acme, 'somebody-else', ['approver']), {
      ...body,
      label: undefined,
      comment: undefined,
    })

    expect(await generate('dpo')).toMatchObject({
      status: 'ready',
      counts: { pairs: 1, chosen: 1, rejected: 1, by_source: { feedback: 2 } },
    })
  })
})
