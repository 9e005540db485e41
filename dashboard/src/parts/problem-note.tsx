/** What went wrong, in a sentence, with a way on where there is one. */
import { Alert, Button } from '@mantine/core'
import { text } from '../text/text.ts'

interface ProblemNoteProps {
  /** Null shows nothing. */
  readonly error: Error | null
  readonly onRetry?: () => void
}

export function ProblemNote({ error, onRetry }: ProblemNoteProps) {
  if (!error) return null
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
