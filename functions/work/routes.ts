import { area, EXECUTION_EVENTS, patch, post, read } from '../../shared/base/wire/route.ts'

const reads = { access: 'work:read' } as const
const writes = { host: 'api', rate: 'global', uses: [{ table: 'write' }] } as const

export const work = area('work', {
  listTasks: read('/api/v1/work/tasks', { ...reads, summary: 'Lists tasks, the newest first.' }),
  createTask: post('/api/v1/work/tasks', {
    ...writes,
    resource: 'task',
    access: 'work:write',
    success: 201,
    evidence: 'task.created',
    summary: 'Creates a task. Where it names nobody, the worker who fits and has least to do gets it.',
  }),
  getTask: read('/api/v1/work/tasks/{id}', {
    ...reads,
    resource: 'task',
    summary: 'Shows a task with its newest notes.',
  }),
  updateTask: patch('/api/v1/work/tasks/{id}', {
    ...writes,
    // Completing a task may run an action, or decide on evidence.
    uses: [
      { table: 'write' },
      { seal: 'payload' },
      { govern: true },
      { outbound: true },
      { bucket: 'files', access: 'read' },
      { queue: 'checks' },
      { asset: 'countries.mmdb' },
    ],
    timeoutSeconds: 28,
    emits: EXECUTION_EVENTS,
    resource: 'task',
    access: 'work:write',
    evidence: 'task.updated',
    summary:
      'Changes a task or adds a note. Completing one that has an action requests the action for you: the task stays in review until it ran.',
  }),
  listWorkers: read('/api/v1/work/workers', {
    ...reads,
    summary: 'Lists people and agents who take tasks, with how much they have.',
  }),
  registerWorker: post('/api/v1/work/workers', {
    ...writes,
    resource: 'worker',
    access: 'workers:write',
    success: 201,
    evidence: 'worker.created',
    emits: ['agent.created'],
    summary: 'Registers a person or an agent who takes tasks. It gives them no right.',
  }),
  updateWorker: patch('/api/v1/work/workers/{id}', {
    ...writes,
    resource: 'worker',
    access: 'workers:write',
    evidence: 'worker.updated',
    summary: 'Changes or pauses a worker. Tasks that they have stay theirs.',
  }),
  listSlaPolicies: read('/api/v1/work/sla-policies', {
    ...reads,
    summary: 'Lists the SLA policies of the deployment, in the order in which equals are taken.',
  }),
})
