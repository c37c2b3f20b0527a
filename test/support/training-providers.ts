// Stand-ins for the parts of SageMaker (AWS JSON 1.1) and Bedrock (REST JSON) that training uses: they check what they are asked
// as the services do, hold each job by its name, and let a test say what state it is in.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

type Answer = { status: number; body: Record<string, unknown>; error?: string }
type Held = { asked: Record<string, unknown>; state: Record<string, unknown> }

const NAME = /^[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}$/
const refuse = (error: string, message: string): Answer => ({ status: 400, error, body: { message, Message: message } })

export async function trainingProviders() {
  const jobs = new Map<string, Held>()
  const stopped: string[] = []
  const control = { down: false }

  function sagemaker(operation: string, body: Record<string, unknown>): Answer {
    const name = String(body.TrainingJobName)
    const held = jobs.get(name)
    if (operation === 'CreateTrainingJob') {
      if (held) return refuse('ResourceInUse', 'Job name must be unique')
      if (!NAME.test(name)) return refuse('ValidationException', 'TrainingJobName')
      if (Object.values(body.HyperParameters ?? {}).some((value) => typeof value !== 'string')) {
        return refuse('ValidationException', 'HyperParameters')
      }
      jobs.set(name, { asked: body, state: { TrainingJobStatus: 'InProgress', SecondaryStatus: 'Starting' } })
      return { status: 200, body: { TrainingJobArn: `arn:aws:sagemaker:us-east-1:000000000000:training-job/${name}` } }
    }
    if (!held) return refuse('ValidationException', 'Requested resource not found.')
    if (operation === 'StopTrainingJob') stopped.push(name)
    return { status: 200, body: operation === 'StopTrainingJob' ? {} : { TrainingJobName: name, ...held.state } }
  }

  function bedrock(method: string, path: string, body: Record<string, unknown>): Answer {
    const [, , id = '', action] = path.split('/')
    const name = id === '' ? String(body.jobName) : decodeURIComponent(id)
    const held = jobs.get(name)
    if (method === 'POST' && id === '') {
      if (held) return refuse('ConflictException', 'the job exists')
      if (!NAME.test(name)) return refuse('ValidationException', 'jobName')
      jobs.set(name, {
        asked: body,
        state: { status: 'InProgress', statusDetails: { trainingDetails: { status: 'NotStarted' } } },
      })
      return { status: 201, body: { jobArn: `arn:aws:bedrock:us-east-1:000000000000:model-customization-job/${name}` } }
    }
    if (!held) return { ...refuse('ResourceNotFoundException', 'no such job'), status: 404 }
    if (action === 'stop') stopped.push(name)
    return { status: 200, body: action === 'stop' ? {} : { jobName: name, ...held.state } }
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (control.down) return request.socket.destroy()
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>
      const target = String(request.headers['x-amz-target'] ?? '').split('.')[1]
      const answer = target ? sagemaker(target, body) : bedrock(request.method ?? '', request.url ?? '', body)
      response.writeHead(answer.status, {
        'content-type': 'application/x-amz-json-1.1',
        ...(answer.error && { 'x-amzn-errortype': answer.error }),
      })
      return response.end(JSON.stringify({ ...(answer.error && { __type: answer.error }), ...answer.body }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  const close = () => new Promise<void>((resolve) => void (server.closeAllConnections(), server.close(() => resolve())))
  return { url: `http://127.0.0.1:${port}`, jobs, stopped, control, close }
}
