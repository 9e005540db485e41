/** What went wrong, in a sentence, with a way on where there is one. */
import { Alert, Button } from '@mantine/core'
import { Problem } from '../api/problem.ts'
import { text } from '../text/text.ts'

interface ProblemNoteProps {
  /** Null shows nothing. */
  readonly error: Error | null
  readonly onRetry?: () => void
}

/** The whole page says these: by the banner, and by asking to sign in again. */
const saidElsewhere = ['UNREACHABLE', 'SIGNED_OUT']

export function ProblemNote({ error, onRetry }: ProblemNoteProps) {
  if (!error || (error instanceof Problem && saidElsewhere.includes(error.code))) return null
  return (
    <Alert
      color="red"
      variant="light"
      role="alert"
      title={text.common.somethingFailed}
      classNames={{ message: 'alert-text' }}
    >
      {error.message}
      {onRetry && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={onRetry}>
          {text.common.retry}
        </Button>
      )}
    </Alert>
  )
}
