import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { packUsed, unpackUsed } from '../../../../shared/govern/learned/learned.ts'

test('what a decision used comes back as it was, in at most 120 bytes', () => {
  const slug = fc.stringMatching(/^[a-z][a-z-]{0,14}$/)
  const persona = slug.map((persona_key) => ({
    persona_key,
    allowed_nodes: [],
    denied_nodes: [],
    tier_ceiling: 'HARD' as const,
    default_require_approval: false,
  }))
  const learned = fc.record(
    {
      standing: fc.record({ trust: fc.nat(100), executions: fc.nat(1_000_000) }),
      persona,
      routing: fc.record({ update_id: fc.constant('rtu_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'), holds: fc.boolean() }),
      model: fc.record({
        slot: slug,
        version: fc.nat(999),
        probability: fc.option(fc.constant(0.1234), { nil: undefined }),
      }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(learned, (used) => {
      const text = packUsed(used)
      expect((text ?? '').length).toBeLessThanOrEqual(120)
      expect(unpackUsed(text)).toEqual({
        trust: used.standing?.trust ?? null,
        executions: used.standing?.executions ?? null,
        persona: used.persona?.persona_key ?? null,
        rule: used.routing?.update_id ?? null,
        model: used.model
          ? { slot: used.model.slot, version: used.model.version, score: used.model.probability ?? null }
          : null,
        held_anyway: false,
        test: null,
        drawn: null,
      })
    }),
  )
})

test('a person who uses none of it leaves no trace of it', () => {
  expect(packUsed({})).toBeUndefined()
})
