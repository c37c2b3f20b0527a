import { Aws, Duration } from 'aws-cdk-lib'
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { EventSourceMapping, FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'
import type { Trigger, Worker } from '../../shared/base/wire/worker.ts'
import { acknowledge } from '../acknowledge.ts'
import type { Platform } from '../platform.ts'
import type { Grant } from '../uses.ts'
import { DeadLetters } from './dead-letters.ts'
import { ImpactAlarm } from './impact-alarm.ts'
import { RowFunction } from './row-function.ts'

type StreamTrigger = Extract<Trigger, { stream: string }>
type QueueTrigger = Extract<Trigger, { queue: string }>

const ITERATOR_AGE_MILLIS_MAX = 60_000
const FIVE_MINUTES = { period: Duration.minutes(5), statistic: Stats.SUM }

/** Rights that Lambda needs to poll, because it polls with the function's role. */
export function pollerGrants({ trigger }: Worker, platform: Platform, failuresArn?: string): Grant[] {
  if ('queue' in trigger) {
    const { arn } = platform.queues[trigger.queue]
    return [{ actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'], resources: [arn] }]
  }
  if (!('stream' in trigger) || !failuresArn) return []
  const read = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams']
  return [
    { actions: read, resources: [platform.table.streamArn] },
    { actions: ['sqs:SendMessage'], resources: [failuresArn] },
  ]
}

/** The function of one worker with its trigger and its alarms, which state the impact on users. */
export class WorkerFunction extends RowFunction {
  constructor(scope: Construct, worker: Worker, platform: Platform, topic?: ITopic) {
    const { trigger, operation, impact } = worker
    const failures = 'stream' in trigger ? new DeadLetters(scope, `${operation}Failures`) : undefined
    super(scope, worker, platform, pollerGrants(worker, platform, failures?.queueArn))
    const alarm = (id: string, metric: Metric, threshold: number, evaluationPeriods = 1) =>
      new ImpactAlarm(scope, operation + id, { impact, metric, threshold, evaluationPeriods }, topic)

    alarm('Errors', this.metricErrors(FIVE_MINUTES), 3)
    if (worker.watches) new ImpactAlarm(scope, `${operation}Watched`, this.#watched(worker.watches), topic)
    if (failures && 'stream' in trigger) {
      this.#readStream(trigger, platform, failures)
      alarm(
        'Late',
        this.metric('IteratorAge', { period: Duration.minutes(1), statistic: Stats.MAXIMUM }),
        ITERATOR_AGE_MILLIS_MAX,
        3,
      )
      alarm('Aside', failures.waiting(), 1)
    } else if ('queue' in trigger) {
      this.#readQueue(trigger, platform)
      const { name, deadLetters } = platform.queues[trigger.queue]
      alarm('Aside', waiting(deadLetters.name), 1)
      if (trigger.lateAfterMinutes) alarm('Late', ageOfOldest(name), trigger.lateAfterMinutes * 60)
    } else if ('schedule' in trigger) {
      const rule = new Rule(scope, `${operation}Schedule`, {
        schedule: Schedule.expression(trigger.schedule),
        targets: [new LambdaFunction(this)],
      })
      acknowledge(rule, { 'Serverless-EventBusDLQ': 'The next run makes up for a lost one.' })
    } else if ('cognito' in trigger) {
      const principal = new ServicePrincipal('cognito-idp.amazonaws.com')
      this.addPermission('Pool', { principal, sourceArn: platform.pool.arn, sourceAccount: Aws.ACCOUNT_ID })
    }
  }

  #watched({ event, impact }: NonNullable<Worker['watches']>) {
    const filter = new MetricFilter(this, 'Watched', {
      logGroup: this.logGroup,
      filterPattern: FilterPattern.stringValue('$.event', '=', event),
      metricNamespace: 'Countersign',
      metricName: event,
    })
    return { impact, metric: filter.metric(FIVE_MINUTES), threshold: 1 }
  }

  #readStream(trigger: StreamTrigger, platform: Platform, failures: DeadLetters) {
    const isNew = FilterCriteria.filter({
      eventName: FilterRule.isEqual('INSERT'),
      dynamodb: { NewImage: { _type: { S: FilterRule.isEqual(trigger.stream) } } },
    })
    new EventSourceMapping(this, 'Stream', {
      target: this,
      eventSourceArn: platform.table.streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [isNew],
      batchSize: trigger.batchSize,
      maxBatchingWindow: Duration.seconds(trigger.windowSeconds),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      // Retried until the record leaves the stream after 24 h, so that a long outage sets no good records aside.
      onFailure: new SqsDlq(failures),
    })
  }

  #readQueue(trigger: QueueTrigger, platform: Platform) {
    const mapping = new EventSourceMapping(this, 'Queue', {
      target: this,
      eventSourceArn: platform.queues[trigger.queue].arn,
      batchSize: trigger.batchSize,
      ...(trigger.maxConcurrency && { maxConcurrency: trigger.maxConcurrency }),
      reportBatchItemFailures: true,
    })
    acknowledge(mapping, {
      'Serverless-LambdaEventSourceMappingDestination':
        "What fails too often goes to the queue's own dead-letter queue.",
    })
  }
}

/** Messages in the dead-letter queue. */
const waiting = (queueName: string) => ofQueue(queueName, 'ApproximateNumberOfMessagesVisible')

/** In seconds. */
const ageOfOldest = (queueName: string) => ofQueue(queueName, 'ApproximateAgeOfOldestMessage')

const ofQueue = (queueName: string, metricName: string) =>
  new Metric({
    namespace: 'AWS/SQS',
    metricName,
    dimensionsMap: { QueueName: queueName },
    statistic: Stats.MAXIMUM,
    period: Duration.minutes(1),
  })
