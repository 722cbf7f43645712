"""A worker of your own. perdure knows nothing of it but the task queue."""

import asyncio
import os
from datetime import timedelta

from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.worker import Worker

bookings: dict[str, str] = {}


@activity.defn
async def book_flight(arguments: dict) -> dict:
    """The agent's arguments come as one object; what is returned is what the agent reads."""
    city, seat = arguments["city"], arguments.get("seat", "aisle")
    if city == "Atlantis":
        raise ApplicationError("nobody flies there", type="NoSuchCity")
    # The same for every try of one call: the key that keeps your own systems from booking twice.
    key = activity.info().workflow_id
    return {"booking": bookings.setdefault(key, f"PD-{len(bookings) + 1}"), "city": city, "seat": seat}


async def main() -> None:
    client = await Client.connect(
        os.environ.get("TEMPORAL_ADDRESS", "localhost:7233"),
        namespace=os.environ.get("TEMPORAL_NAMESPACE", "default"),
    )
    worker = Worker(
        client, task_queue="travel", activities=[book_flight], graceful_shutdown_timeout=timedelta(seconds=5)
    )
    print("Polling the task queue travel.", flush=True)
    await worker.run()


asyncio.run(main())
