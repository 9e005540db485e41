/** Email and password, for signing in, signing up and the owner's account. */
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { BodyOf, DashboardState } from '../api/answers.ts'
import { sessionEnded } from '../api/problem.ts'
import { ProblemNote } from '../parts/problem-note.tsx'
import { stateQuery } from '../queries.ts'
import { text } from '../text/text.ts'

interface CredentialsFormProps {
  readonly action: string
  readonly isNew: boolean
  /** Given where only one person can be meant. */
  readonly email?: string
  readonly submit: (credentials: BodyOf<'signIn'>) => Promise<DashboardState>
  readonly onDone?: () => void
}

export function CredentialsForm({ action, isNew, email: known, submit, onDone }: CredentialsFormProps) {
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: submit,
    onSuccess: state => {
      queryClient.setQueryData(stateQuery.queryKey, state)
      sessionEnded.set(false)
      onDone?.()
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate({ email: email.trim(), password })
  }
  return (
    <form onSubmit={send}>
      <Stack>
        <TextInput
          label={text.common.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          readOnly={known !== undefined}
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
          data-autofocus={known === undefined ? true : undefined}
        />
        <PasswordInput
          label={text.common.password}
          description={isNew ? text.welcome.passwordHint : undefined}
          name="password"
          autoComplete={isNew ? 'new-password' : 'current-password'}
          required
          withAsterisk={false}
          minLength={isNew ? 10 : undefined}
          value={password}
          onChange={event => setPassword(event.currentTarget.value)}
          data-autofocus={known === undefined ? undefined : true}
        />
        <ProblemNote error={error} />
        <Button type="submit" loading={isPending} fullWidth size="md">
          {action}
        </Button>
      </Stack>
    </form>
  )
}
