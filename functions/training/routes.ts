import { area, EXECUTION_EVENTS, get, post, put, read } from '../../shared/base/wire/route.ts'

const path = '/api/v1/ai-training'

/** Which model stands in a slot is decided like any action. */
const deploys = {
  host: 'api',
  access: 'training:deploy',
  resource: 'model',
  rate: 'ai',
  uses: [{ table: 'write' }, { seal: 'payload' }, { govern: true }, { outbound: true }, { asset: 'countries.mmdb' }],
  timeoutSeconds: 28,
} as const

const looks = {
  access: 'training:read',
  uses: [{ table: 'read' }, { inspect: 'training' }, { training: 'show' }],
} as const
const readsPersonas = { access: 'training:read', resource: 'persona' } as const

export const training = area('training', {
  listDatasets: read(`${path}/datasets`, { access: 'training:read', summary: 'Lists the datasets, the newest first.' }),
  getDataset: get(`${path}/datasets/{dataset_id}`, {
    host: 'api',
    access: 'training:read',
    resource: 'dataset',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'read' }],
    evidence: { none: 'making the dataset was recorded' },
    emits: ['artifact.shared'],
    summary: 'One dataset; for callers who may read evidence with addresses to download its files.',
  }),
  createDataset: post(`${path}/datasets`, {
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }, { bucket: 'files', access: 'put' }, { queue: 'training' }],
    evidence: 'training.dataset.changed',
    success: 201,
    bodyBytesMax: 5_242_880,
    timeoutSeconds: 28,
    summary: 'Creates a dataset of your own rows: in the request, or with an address to upload a file to.',
  }),
  generateDataset: post(`${path}/datasets/generate`, {
    volume: true,
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }, { queue: 'training' }],
    evidence: 'training.dataset.changed',
    success: 202,
    timeoutSeconds: 28,
    summary: 'Generates a dataset from executions and the decisions on them; or the next version of that name.',
  }),
  listAbTests: read(`${path}/ab-tests`, { access: 'training:read', summary: 'Lists the A/B tests, the newest first.' }),
  getAbTest: read(`${path}/ab-tests/{id}`, {
    access: 'training:read',
    resource: 'A/B test',
    summary: 'One A/B test, and what its counts say now.',
  }),
  createAbTest: post(`${path}/ab-tests`, {
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'training.ab_test.changed',
    success: 201,
    summary:
      'Plans a test of two versions of a model: the deployed one acts, the other only says what it would have done.',
  }),
  startAbTest: post(`${path}/ab-tests/{id}/start`, {
    host: 'api',
    access: 'training:deploy',
    resource: 'A/B test',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }, { bucket: 'files', access: 'read', prefix: 'models/' }],
    evidence: 'training.ab_test.changed',
    summary: 'Starts a test: from then on both models judge each action of the slot.',
  }),
  completeAbTest: post(`${path}/ab-tests/{id}/complete`, {
    ...deploys,
    resource: 'A/B test',
    rate: 'global',
    evidence: 'training.ab_test.changed',
    emits: EXECUTION_EVENTS,
    summary: 'Ends a test and declares a winner. A routing update proposes to deploy it, and waits for people.',
  }),
  listFeedback: read(`${path}/feedback`, { access: 'training:read', summary: 'Lists feedback, the newest first.' }),
  submitFeedback: post(`${path}/feedback`, {
    host: 'api',
    access: 'training:feedback',
    rate: 'global',
    uses: [{ table: 'write' }, { seal: 'payload' }],
    evidence: 'training.feedback.submitted',
    success: 201,
    summary: 'Gives feedback on a target. Feedback given before on the same target is replaced.',
  }),
  listJobs: read(`${path}/jobs`, {
    access: 'training:read',
    summary: 'Lists training jobs, the newest first, by offset.',
  }),
  createJob: post(`${path}/jobs`, {
    host: 'api',
    access: 'training:write',
    rate: 'ai',
    uses: [{ table: 'write' }, { queue: 'training' }, { training: 'show' }],
    evidence: 'training.job.changed',
    success: 202,
    summary: 'Trains a model from a dataset.',
  }),
  getJob: read(`${path}/jobs/{job_id}`, {
    access: 'training:read',
    resource: 'training job',
    summary: 'One training job with its progress, metrics and last log lines.',
  }),
  cancelJob: post(`${path}/jobs/{job_id}/cancel`, {
    host: 'api',
    access: 'training:write',
    resource: 'training job',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'training.job.changed',
    summary: 'Cancels a training job; one that has begun stops after its epoch (202).',
  }),
  listModels: read(`${path}/models`, {
    access: 'training:read',
    summary: 'Lists the versions of models, the deployed ones first.',
  }),
  registerModel: post(`${path}/models`, {
    host: 'api',
    access: 'training:write',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'training.model.changed',
    emits: ['artifact.created'],
    success: 201,
    summary: 'Registers a version of a model that was made elsewhere.',
  }),
  deployModel: post(`${path}/models/{model_id}/deploy`, {
    ...deploys,
    evidence: 'action.requested',
    emits: ['action.requested', 'agent.action.triggered', 'protocol.approval.requested'],
    success: 202,
    summary: 'Asks people to deploy a model into its slot. It is deployed about a minute after their approval.',
  }),
  rollbackModel: post(`${path}/models/{model_id}/rollback`, {
    ...deploys,
    evidence: ['protocol.executed', 'action.requested'],
    emits: [
      'action.requested',
      'agent.action.triggered',
      'action.approved',
      'protocol.executed',
      'protocol.approval.requested',
      'agent.completed',
    ],
    summary: 'Puts a former model back into its slot: at once for a person, after an approval for anything else.',
  }),
  listPersonas: read(`${path}/personas`, { ...readsPersonas, summary: 'Lists the personas.' }),
  getPersona: read(`${path}/personas/{persona_key}`, { ...readsPersonas, summary: 'One persona.' }),
  updatePersona: put(`${path}/personas/{persona_key}`, {
    host: 'api',
    access: 'training:write',
    resource: 'persona',
    rate: 'global',
    uses: [{ table: 'write' }],
    evidence: 'training.persona.updated',
    summary: 'Replaces the configuration of a persona. What may loosen is done by a person with policies:write.',
  }),
  infrastructure: read(`${path}/infrastructure`, {
    ...looks,
    summary: 'What can train here: its types of training, its queue and its jobs.',
  }),
  infrastructureHealth: read(`${path}/infrastructure/health`, {
    ...looks,
    summary: 'Whether training works, and which jobs are stuck.',
  }),
  stats: read(`${path}/stats`, {
    access: 'training:read',
    summary: 'Jobs, datasets, models, feedback and cost of training.',
  }),
})
