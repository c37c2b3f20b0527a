import type { Context } from '../../shared/base/context.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import type { AbTest } from '../../shared/learn/experiments/ab-test.ts'

/** A test as it is stored. */
export const newAbTest = (ctx: Context, parts: Partial<AbTest> = {}): AbTest => ({
  ...ctx.space,
  id: ctx.id('abt'),
  name: 'November',
  slot: 'approval-scorer',
  model_a_id: 'mdl_a',
  model_b_id: 'mdl_b',
  shadow: true,
  split_b: 0.5,
  unit: 'execution',
  primary_metric: 'agreement',
  guardrails: [],
  direction: 'higher',
  alpha: 0.05,
  min_samples: 200,
  min_effect: 0.01,
  max_days: 30,
  status: 'draft',
  p_sequential: 1,
  created_at: iso(ctx.now()),
  created_by: { type: 'system', id: 'system' },
  request_artifact_id: ctx.id('art'),
  ...parts,
})
