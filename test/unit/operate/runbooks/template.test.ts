import { describe, expect, test } from 'vitest'
import { filled, unknownLookups } from '../../../../shared/operate/runbooks/template.ts'

describe('the look-ups of a template', () => {
  test.each([
    [{ a: '{{incident.id}} {{ alert.labels.node_id }}' }, []],
    [{ a: ['{{tenant.name}}'] }, ['tenant.name']],
    [{ '{{incident.id}}': 1, b: { c: '{{alert.value * 2}}' } }, ['alert.value * 2']],
    [{ a: '{{constructor}}' }, ['constructor']],
    [undefined, []],
  ])('%j names %j that nothing could fill', (template, unknown) => {
    expect(unknownLookups(template)).toEqual(unknown)
  })

  test('are filled in texts only, and never twice', () => {
    const facts = { 'incident.id': 'inc_1', 'incident.title': '{{incident.id}}' }

    expect(filled({ '{{incident.id}}': ['{{incident.title}}', 7, null, '{{alert.id}}!'] }, facts)).toEqual({
      '{{incident.id}}': ['{{incident.id}}', 7, null, '!'],
    })
  })
})
