'use client';

import { useChat } from '@ai-sdk/react';
import { useState } from 'react';
import type { ChatMessage } from '../api/chat/route';

/** A chat that says why it waits. */
export default function Chat() {
  const [wait, setWait] = useState<string>();
  const { messages, sendMessage, status, stop, error } = useChat<ChatMessage>({
    onData: ({ type, data }) => {
      if (type !== 'data-retry') return;
      setWait(
        data ? `${data.headline}: next attempt at ${new Date(data.nextAttemptAt).toLocaleTimeString()}` : undefined,
      );
    },
  });
  const isRunning = status === 'submitted' || status === 'streaming'; // also between a tool and the next words
  const ask = () => {
    setWait(undefined); // removes the wait of a question that was stopped
    void sendMessage({ text: 'Hello?' });
  };
  return (
    <main>
      {messages.map(({ id, parts }) => (
        <p key={id}>{parts.map((part) => (part.type === 'text' ? part.text : ''))}</p>
      ))}
      {isRunning && <p role="status">{wait ?? 'Asking …'}</p>}
      {error && <p role="alert">{error.message}</p>}
      <button onClick={ask}>Ask</button>
      <button onClick={() => void stop()}>Stop</button>
    </main>
  );
}
