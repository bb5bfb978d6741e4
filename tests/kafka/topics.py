"""Reads whole topics as an independent consumer of committed records, and appends raw ones."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition

import setting


@dataclass
class Record:
    offset: int
    value: bytes | None


def consumer_at(brokers: str, topic: str, offset: int) -> Consumer:
    """A reader of committed records of the topic's only partition."""
    consumer = Consumer(setting.client(
        brokers, group_id=f"test-{uuid.uuid4()}", enable_auto_commit=False,
        enable_partition_eof=True, isolation_level="read_committed", auto_offset_reset="error",
        receive_message_max_bytes=500_000_000))
    consumer.assign([TopicPartition(topic, 0, offset)])
    return consumer


def read_all(brokers: str, topic: str, offset: int = 0) -> Iterator[Record]:
    """All committed records from the offset up to the end."""
    consumer = consumer_at(brokers, topic, offset)
    try:
        while True:
            messages = consumer.consume(10_000, 1.0)
            for message in messages:
                error = message.error()
                if error is None:
                    yield Record(message.offset(), message.value())
                elif error.code() == KafkaError._PARTITION_EOF:
                    return
                elif not error.retriable() and error.code() != KafkaError._ALL_BROKERS_DOWN:
                    raise KafkaException(error)
    finally:
        consumer.close()


def end_of(brokers: str, topic: str) -> int:
    """The offset behind the last record that is committed. Waits while brokers change."""
    deadline = time.monotonic() + 120
    while True:
        # A consumer of its own for each attempt: one that reads nothing never hears of new leaders.
        consumer = Consumer(setting.client(brokers, group_id="test",
                                           isolation_level="read_committed"))
        try:
            return consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)[1]
        except KafkaException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        finally:
            consumer.close()


def produce(brokers: str, topic: str, *values: bytes | None, codec: str = "none") -> None:
    """Appends raw records, as anyone may."""
    producer = Producer(setting.client(brokers, acks="all", enable_idempotence=True,
                                       message_max_bytes=200_000_000, compression_codec=codec))
    failed: list[str] = []
    for value in values:
        producer.produce(topic, value, on_delivery=lambda error, _: error and failed.append(error))
    if producer.flush(240) or failed:
        raise RuntimeError(f"{topic}: not appended: {failed}")
