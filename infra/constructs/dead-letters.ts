import { Duration } from 'aws-cdk-lib'
import { type Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch'
import { Queue, QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'

const FINAL = 'It is a dead-letter queue itself.'

/** A dead-letter queue that keeps messages for two weeks and raises an alarm for any message. */
export class DeadLetters extends Queue {
  constructor(scope: Construct, id: string, props: Pick<QueueProps, 'encryption' | 'queueName'> = {}) {
    super(scope, id, {
      encryption: QueueEncryption.SQS_MANAGED,
      ...props,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    })
    acknowledge(this, { 'AwsSolutions-SQS3': FINAL, 'Serverless-SQSRedrivePolicy': FINAL })
  }

  waiting(): Metric {
    return this.metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1), statistic: Stats.MAXIMUM })
  }
}
