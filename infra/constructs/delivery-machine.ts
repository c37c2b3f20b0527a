import { ArnFormat, Duration, Stack } from 'aws-cdk-lib'
import { Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam'
import { RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { workers } from '../../functions/workers.ts'
import { acknowledge } from '../acknowledge.ts'
import { functionName } from '../platform.ts'
import { webhookRetries } from '../topology.ts'
import { ImpactAlarm } from './impact-alarm.ts'
import { onlyFromHere } from './only-from-here.ts'
import { OwnLog } from './own-log.ts'

const TRACED = 'A delivery is traced by its event id in the delivery log.'

type Props = { prefix: string; logKeyArn: string | undefined; alarmTopic?: ITopic | undefined }

/** Substitution → ARN of each function that is a task of the machine. */
function taskArns(stack: Stack, prefix: string): Record<string, string> {
  const arns: Record<string, string> = {}
  for (const worker of Object.values(workers)) {
    if (!('task' in worker.trigger)) continue
    const resourceName = functionName(prefix, worker)
    arns[worker.trigger.task] = stack.formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
  }
  return arns
}

/** One execution per failing webhook delivery. An execution fails only because of an error of the service. */
export class DeliveryMachine extends StateMachine {
  constructor(scope: Construct, id: string, { prefix, logKeyArn, alarmTopic }: Props) {
    const tasks = taskArns(Stack.of(scope), prefix)
    const role = new Role(scope, `${id}Role`, { assumedBy: onlyFromHere('states', 'stateMachine:*') })
    super(scope, id, {
      definitionBody: DefinitionBody.fromString(JSON.stringify(webhookRetries())),
      definitionSubstitutions: tasks,
      role,
      logs: {
        destination: new OwnLog(scope, `${id}Log`, { retention: RetentionDays.ONE_MONTH, keyArn: logKeyArn }),
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    })
    this.addToRolePolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: Object.values(tasks) }))
    const counted = { period: Duration.minutes(5), statistic: Stats.SUM }
    const failed = {
      impact: 'Retries of some webhooks have stopped.',
      metric: this.metricFailed(counted),
      threshold: 1,
    }
    new ImpactAlarm(this, 'Failed', failed, alarmTopic)
    const throttled = { impact: 'Retries of webhooks start late.', metric: this.metricThrottled(counted), threshold: 1 }
    new ImpactAlarm(this, 'Throttled', throttled, alarmTopic)
    acknowledge(this, {
      'AwsSolutions-SF1': 'Logging all events would double the price of a retry; its history is kept 90 days anyway.',
      'AwsSolutions-SF2': TRACED,
      'Serverless-StepFunctionStateMachineXray': TRACED,
    })
    acknowledge(role, {
      'AwsSolutions-IAM5[Resource::*]': 'Log delivery rights of Step Functions cannot be narrowed to one log group.',
    })
  }
}
