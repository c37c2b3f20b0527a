import { Aws, Duration } from 'aws-cdk-lib'
import { EventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events'
import { SfnStateMachine, SqsQueue } from 'aws-cdk-lib/aws-events-targets'
import { Role } from 'aws-cdk-lib/aws-iam'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { QueueName } from '../../shared/base/catalog/queues.ts'
import { eachQueue, QUEUES, RULES } from '../topology.ts'
import { DeadLetters } from './dead-letters.ts'
import { DeliveryMachine } from './delivery-machine.ts'
import { ImpactAlarm } from './impact-alarm.ts'
import { onlyFromHere } from './only-from-here.ts'

type Props = { prefix: string; logKeyArn: string | undefined; alarmTopic?: ITopic | undefined }
type QueuePair = { queue: Queue; deadLetters: DeadLetters }

/** The prefix distinguishes the queues of several deployments. */
const nameIn = (prefix: string, queue: string) => `${prefix}-${queue}`

/** The bus, its rules, the queues and the delivery state machine, as defined in `topology.ts`. */
export class Messaging extends Construct {
  readonly bus = new EventBus(this, 'Bus')
  readonly queues: Record<QueueName, QueuePair>
  /** The address of every queue but for its name, which follows. */
  readonly queueBase: string
  /** Events that a rule matched and its target did not accept for a day. */
  readonly undelivered = new DeadLetters(this, 'Undelivered')

  constructor(scope: Construct, id: string, { prefix, logKeyArn, alarmTopic }: Props) {
    super(scope, id)
    this.queues = eachQueue((name) => this.#queue(name, prefix))
    this.queueBase = `https://sqs.${Aws.REGION}.${Aws.URL_SUFFIX}/${Aws.ACCOUNT_ID}/${nameIn(prefix, '')}`
    const machine = new DeliveryMachine(this, 'Retries', { prefix, logKeyArn, alarmTopic })
    const { target: fanout, ...events } = RULES['events-to-fanout']
    this.#rule('EventsToFanout', events).addTarget(
      new SqsQueue(this.queues[fanout.queue].queue, { deadLetterQueue: this.undelivered }),
    )
    const { target: retries, ...failures } = RULES['failed-delivery-to-retries']
    this.#rule('FailedDeliveryToRetries', failures).addTarget(
      new SfnStateMachine(machine, {
        input: RuleTargetInput.fromEventPath(retries.inputPath),
        role: new Role(this, 'StartsRetries', { assumedBy: onlyFromHere('events', 'rule/*') }),
        deadLetterQueue: this.undelivered,
      }),
    )
    const impact =
      'Some events reached no webhook and some failed deliveries are not retried; their messages wait here.'
    new ImpactAlarm(
      this,
      'UndeliveredWaiting',
      { impact, metric: this.undelivered.waiting(), threshold: 1 },
      alarmTopic,
    )
  }

  #rule(id: string, { source, detailType }: { source: string; detailType?: string }): Rule {
    return new Rule(this, id, {
      eventBus: this.bus,
      eventPattern: { source: [source], ...(detailType && { detailType: [detailType] }) },
    })
  }

  #queue(name: QueueName, prefix: string): QueuePair {
    const { visibilitySeconds, maxReceives, kms } = QUEUES[name]
    const encryption = kms ? QueueEncryption.KMS_MANAGED : QueueEncryption.SQS_MANAGED
    const deadLetters = new DeadLetters(this, `${name}-dlq`, { encryption, queueName: nameIn(prefix, `${name}-dlq`) })
    const queue = new Queue(this, name, {
      queueName: nameIn(prefix, name),
      encryption,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      visibilityTimeout: Duration.seconds(visibilitySeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: maxReceives },
    })
    return { queue, deadLetters }
  }
}
