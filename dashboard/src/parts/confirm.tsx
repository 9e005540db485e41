/** Asks once more before something that cannot be undone; where much is at stake, its name is typed. */
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { text } from '../text/text.ts'
import { ProblemNote } from './problem-note.tsx'

interface ConfirmProps {
  readonly title: string
  readonly lead: string
  readonly action: string
  /** What must be typed; null when a click is enough. */
  readonly typed?: string | null
  readonly children?: ReactNode
  readonly run: () => Promise<unknown>
  readonly onClose: () => void
}

export function Confirm({ title, lead, action, typed = null, children, run, onClose }: ConfirmProps) {
  const [typing, setTyping] = useState('')
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: onClose })
  const ready = typed === null || typing.trim() === typed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready) mutate()
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': text.common.close }}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{lead}</Text>
          {typed !== null && (
            <TextInput
              label={text.account.typeName(typed)}
              value={typing}
              onChange={event => setTyping(event.currentTarget.value)}
              autoComplete="off"
              spellCheck={false}
              data-autofocus
            />
          )}
          {children}
          <ProblemNote error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {text.common.cancel}
            </Button>
            <Button type="submit" color="red" loading={isPending} disabled={!ready}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
