import { Alarm, type AlarmProps, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITopic } from 'aws-cdk-lib/aws-sns'
import type { Construct } from 'constructs'

type Props = Pick<AlarmProps, 'metric' | 'threshold'> & {
  /** One sentence: what users notice. The operator on call reads it first. */
  impact: string
  /** Default 1, in periods of the metric. */
  evaluationPeriods?: number
}

/** An alarm that states its impact on users. It fires at the threshold and above; missing data does not fire. */
export class ImpactAlarm extends Alarm {
  constructor(scope: Construct, id: string, { impact, ...props }: Props, topic?: ITopic) {
    super(scope, id, {
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...props,
      alarmDescription: impact,
    })
    if (topic) this.addAlarmAction(new SnsAction(topic))
  }
}
