import { ASKS, area, post, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/learning'

export const learning = area('learning', {
  latest: read(path, {
    access: 'learning:read',
    summary: 'The latest completed snapshot: what past decisions say about each action, and what they suggest.',
  }),
  run: post(`${path}/run`, {
    host: 'api',
    access: 'learning:run',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'training' }],
    evidence: 'learning.snapshot.changed',
    success: 202,
    summary: 'Asks for a fresh snapshot. While one is being made, that one is answered.',
  }),
  listRuns: read(`${path}/pipeline`, {
    access: 'learning:read',
    summary: 'Lists the runs of the pipeline, the newest first.',
  }),
  startRun: post(`${path}/pipeline/run`, {
    host: 'api',
    access: 'learning:run',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'training' }],
    evidence: 'learning.run.changed',
    success: 202,
    summary: 'Starts a run of the pipeline. It ends in proposals, on which people decide.',
  }),
  listRoutingUpdates: read(`${path}/routing-updates`, {
    access: 'learning:read',
    summary: 'Lists the routing updates, the newest first.',
  }),
  proposeRoutingUpdate: post(`${path}/routing-updates`, {
    host: 'api',
    access: 'routing:propose',
    rate: 'global',
    ...ASKS,
    evidence: ['action.requested', 'routing.update.changed'],
    success: 201,
    summary: 'Proposes to change how an action is routed, or the model in a slot. The proposal waits for approval.',
  }),
  applyRoutingUpdate: post(`${path}/routing-updates/{id}/apply`, {
    host: 'api',
    access: 'routing:apply',
    resource: 'routing update',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'routing.update.changed',
    emits: ['policy.updated'],
    summary: 'Puts an approved routing update into effect. Nobody applies what they proposed.',
  }),
})
