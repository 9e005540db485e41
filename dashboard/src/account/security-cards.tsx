/** Password, sessions, and deleting the account. */
import { Alert, Anchor, Button, PasswordInput, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { ProblemNote } from '../parts/problem-note.tsx'
import { stateQuery } from '../queries.ts'
import { linkTo, navigate } from '../router.ts'
import { text } from '../text/text.ts'

const t = text.account

export function PasswordCard({ email }: { readonly email: string }) {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { mutate, isPending, isSuccess, error } = useMutation({
    mutationFn: () => api.changePassword({ current, next }),
    onSuccess() {
      setCurrent('')
      setNext('')
    },
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <section className="card" aria-label={t.password}>
      <div className="card-head">
        <h2>{t.password}</h2>
      </div>
      <form onSubmit={send}>
        <Stack>
          {/* For password managers, which ask whose password it is. */}
          <input type="text" name="email" value={email} autoComplete="username" readOnly hidden />
          <PasswordInput
            label={t.currentPassword}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={current}
            onChange={event => setCurrent(event.currentTarget.value)}
          />
          <PasswordInput
            label={t.newPassword}
            description={text.welcome.passwordHint}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={10}
            value={next}
            onChange={event => setNext(event.currentTarget.value)}
          />
          <ProblemNote error={error} />
          {isSuccess && (
            <Alert color="pine" variant="light" role="status">
              {t.passwordChanged}
            </Alert>
          )}
          <Button type="submit" loading={isPending} variant="light" className="card-action">
            {t.changePassword}
          </Button>
        </Stack>
      </form>
    </section>
  )
}

export function SessionsCard() {
  const queryClient = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    mutationFn: api.signOutEverywhere,
    onSuccess: state => {
      queryClient.setQueryData(stateQuery.queryKey, state)
      navigate('/')
    },
  })
  return (
    <section className="card" aria-label={t.sessions}>
      <div className="card-head">
        <h2>{t.sessions}</h2>
      </div>
      <Stack>
        <p>{t.sessionsLead}</p>
        <ProblemNote error={error} />
        <Button variant="light" onClick={() => mutate()} loading={isPending} className="card-action">
          {t.signOutEverywhere}
        </Button>
      </Stack>
    </section>
  )
}

export function DeleteCard({ isOwner }: { readonly isOwner: boolean }) {
  const [isAsked, setIsAsked] = useState(false)
  const [password, setPassword] = useState('')
  const queryClient = useQueryClient()
  return (
    <section className="card" aria-label={t.danger}>
      <div className="card-head">
        <h2>{t.danger}</h2>
      </div>
      <Stack>
        <p>{t.dangerLead}</p>
        {isOwner && (
          <p>
            {t.dangerOwner} <Anchor {...linkTo('/operator')}>{text.operator.title}</Anchor>
          </p>
        )}
        <Button color="red" variant="light" onClick={() => setIsAsked(true)} className="card-action">
          {t.delete}
        </Button>
      </Stack>
      {isAsked && (
        <Confirm
          title={t.danger}
          lead={isOwner ? `${t.dangerLead} ${t.dangerLastOwner}` : t.dangerLead}
          action={t.delete}
          run={async () => {
            const state = await api.removeAccount(password)
            queryClient.setQueryData(stateQuery.queryKey, state)
            navigate('/')
          }}
          onClose={() => {
            setIsAsked(false)
            setPassword('')
          }}
        >
          <PasswordInput
            label={text.common.password}
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
            data-autofocus
          />
        </Confirm>
      )}
    </section>
  )
}
