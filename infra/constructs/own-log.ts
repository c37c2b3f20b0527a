import { Aws, RemovalPolicy } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

type Props = { retention: RetentionDays; keyArn: string | undefined }

/** A log group that is deleted with its stack. Without `logKey` CloudWatch encrypts it with its own key. */
export class OwnLog extends LogGroup {
  constructor(scope: Construct, id: string, { retention, keyArn }: Props) {
    super(scope, id, {
      retention,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(keyArn && { encryptionKey: Key.fromKeyArn(scope, `${id}Key`, keyArn) }),
    })
  }
}

/** A key that CloudWatch may use only for the log groups of this account and region. */
export class LogKey extends Key {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      enableKeyRotation: true,
      description: 'Log groups at rest',
      removalPolicy: RemovalPolicy.RETAIN,
    })
    const groups = `arn:${Aws.PARTITION}:logs:${Aws.REGION}:${Aws.ACCOUNT_ID}:log-group:*`
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
        actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:Describe*'],
        resources: ['*'], // in a key's own policy: this key
        conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups } },
      }),
    )
  }
}
