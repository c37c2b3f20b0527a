// Calls the pool's functions with the events of Amazon Cognito's developer guide. An error of a function is answered as
// `UserLambdaValidationException`.
import { AwsError } from '../aws-error.ts'
import { type FunctionRow, type Invoke, TaskTimedOut } from '../lambda.ts'
import type { Worker } from '../../../shared/base/wire/worker.ts'
import type { User } from './store.ts'

export type TriggerName = Extract<Worker['trigger'], { cognito: string }>['cognito']

type Source = { name: TriggerName; source: string; version?: string; user: User; request: object; response: object }

/** Returns the `response` of the function. */
export type CallTrigger = (source: Source) => Promise<Record<string, unknown>>

export const attributesOf = ({ sub, attributes, password }: User): Record<string, string> => ({
  sub,
  'cognito:user_status': password ? 'CONFIRMED' : 'FORCE_CHANGE_PASSWORD',
  ...attributes,
})

type Caller = { region: string; userPoolId: string; callerContext: { awsSdkVersion: string; clientId: string } }

/** Calls the row whose trigger has the name. */
export function triggersOf(rows: readonly Worker[], invoke: Invoke, caller: Caller): CallTrigger {
  const row = (name: TriggerName): FunctionRow => {
    const found = rows.find(({ trigger }) => 'cognito' in trigger && trigger.cognito === name)
    if (!found) throw new AwsError('UnexpectedLambdaException', `no function for ${name}`)
    return found
  }
  return async ({ name, source, version = '1', user, request, response }) => {
    const event = {
      version,
      triggerSource: source,
      ...caller,
      userName: user.username,
      request: { userAttributes: attributesOf(user), ...request },
      response,
    }
    const answer = await invoke(row(name), event).catch((error: unknown) => {
      throw failed(name, error)
    })
    if (isAnswer(answer)) return answer.response
    throw new AwsError('InvalidLambdaResponseException', 'Unrecognizable lambda output')
  }
}

function failed(name: TriggerName, error: unknown): AwsError {
  const label = name[0]?.toUpperCase() + name.slice(1)
  if (error instanceof TaskTimedOut)
    return new AwsError('UnexpectedLambdaException', `${label} failed: ${error.message}`)
  const message = error instanceof Error ? error.message : String(error)
  return new AwsError('UserLambdaValidationException', `${label} failed with error ${message}.`)
}

const isAnswer = (value: unknown): value is { response: Record<string, unknown> } =>
  typeof value === 'object' &&
  value !== null &&
  'response' in value &&
  typeof value.response === 'object' &&
  value.response !== null
