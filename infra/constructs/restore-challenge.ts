import { readFileSync } from 'node:fs'
import { Duration } from 'aws-cdk-lib'
import { experimental } from 'aws-cdk-lib/aws-cloudfront'
import { Code, type IVersion, Runtime } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'

/**
 * The function that gives `WWW-Authenticate` its name back. It has to lie in us-east-1, so elsewhere it gets a stack of its own.
 * CloudFront Functions would be simpler, but do not see answers from 400 on.
 */
export function restoreChallenge(scope: Construct, id: string): IVersion {
  const { currentVersion, lambda } = new experimental.EdgeFunction(scope, id, {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromInline(readFileSync(new URL('../edge/restore-challenge.cjs', import.meta.url), 'utf8')),
    memorySize: 128,
    timeout: Duration.seconds(5),
    description: 'Gives WWW-Authenticate its name back',
  })
  acknowledge(lambda, {
    'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole]':
      'It writes its log in the region nearest to the caller, so no log group can be named.',
    'Serverless-LambdaDLQ': 'CloudFront waits for its answer.',
    'Serverless-LambdaTracing': 'Lambda@Edge does not trace.',
  })
  return currentVersion
}
