/** When a session ends in the middle of work: sign in over the page, which stays as it is. */
import { Modal, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { sessionEnded } from '../api/problem.ts'
import { useSignal } from '../signal.ts'
import { text } from '../text/text.ts'
import { CredentialsForm } from './credentials-form.tsx'

export function SignInAgain({ email }: { readonly email: string }) {
  const ended = useSignal(sessionEnded)
  const queryClient = useQueryClient()
  return (
    <Modal
      opened={ended}
      onClose={() => undefined}
      withCloseButton={false}
      // Over any other dialog, which stays open behind it.
      zIndex={400}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={text.welcome.again}
    >
      <Text mb="md" size="sm" c="dimmed">
        {text.welcome.againLead}
      </Text>
      <CredentialsForm
        action={text.welcome.signInButton}
        isNew={false}
        email={email}
        submit={api.signIn}
        onDone={() => void queryClient.invalidateQueries()}
      />
    </Modal>
  )
}
